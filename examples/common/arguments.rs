//! The words of a command line, one at a time. (A real program would use a crate for this.)

/// What stands next on the command line.
pub(crate) enum Argument {
    /// An option, with its dashes: `--json`.
    Option(String),
    /// Anything else: a path, or `-` for standard input.
    Word(String),
}

/// The words that are still to be read.
pub(crate) struct Arguments<'a> {
    words: core::slice::Iter<'a, String>,
    /// The value of an option written as `--option=value`, until it is asked for.
    value: Option<String>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(words: &'a [String]) -> Self {
        Self { words: words.iter(), value: None }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Argument>, String> {
        if let Some(value) = self.value.take() {
            return Err(format!("the value '{value}' belongs to an option that takes none"));
        }
        let Some(word) = self.words.next() else { return Ok(None) };
        if !word.starts_with('-') || word == "-" {
            return Ok(Some(Argument::Word(word.clone())));
        }
        let (option, value) = word.split_once('=').map_or((word.as_str(), None), |(o, v)| (o, Some(v)));
        self.value = value.map(str::to_string);
        Ok(Some(Argument::Option(option.to_string())))
    }

    /// The number that an option takes: `--option 3` or `--option=3`.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self, option: &str) -> Result<T, String> {
        let value = self.value(option, "a number")?;
        let number: u64 =
            value.parse().map_err(|_| format!("{option} takes a whole number from 0, not '{value}'"))?;
        T::try_from(number).map_err(|_| format!("{option} {number} is too large"))
    }

    /// The value that an option takes, whatever it is: `--option this` or `--option=this`.
    pub(crate) fn value(&mut self, option: &str, kind: &str) -> Result<String, String> {
        let value = self.value.take().or_else(|| self.words.next().cloned());
        value.ok_or_else(|| format!("{option} takes {kind}, and none is given"))
    }
}

/// The words that the program was started with.
pub(crate) fn of_this_program() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}
