//! Numbers out of the bytes of an input.

/// Bytes of the input, one after another; 0 after the last.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u32 {
        self.0.split_off_first().copied().unwrap_or(0).into()
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.byte() % limit
    }

    pub fn one_in(&mut self, chances: u32) -> bool {
        // The last residue, so that the zeros after the end of the input are the usual case.
        self.below(chances) == chances - 1
    }

    /// Small numbers as they are; the last few are the ends of the range.
    pub fn count(&mut self) -> u32 {
        match self.byte() {
            255 => u32::MAX,
            254 => 1 << 31,
            253 => 1 << 20,
            252 => 1_024,
            small => small,
        }
    }

    /// Seconds, mostly small whole numbers; the last few are the ends of the range and beyond.
    pub fn time(&mut self) -> f64 {
        match self.byte() {
            255 => f64::NAN,
            254 => f64::INFINITY,
            253 => -1.0,
            252 => 9_007_199_254_740.0,
            251 => 5e-324,
            small => f64::from(small),
        }
    }

    /// Eight bytes, low byte first.
    pub fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, byte| word | u64::from(self.byte()) << (8 * byte))
    }

    /// A whole number from all over the range: small, a power of two with its neighbours, or eight bytes.
    pub fn wild(&mut self) -> u64 {
        match self.below(4) {
            0 => self.byte().into(),
            1 => (1_u64 << self.below(64)).wrapping_add(u64::from(self.below(3))).wrapping_sub(1),
            2 => u64::MAX >> self.below(64),
            _ => self.word(),
        }
    }

    /// Any floating-point number at all, those that a caller might pass being more likely.
    pub fn float(&mut self) -> f64 {
        match self.below(8) {
            0 => f64::from(self.byte()),
            1 => f64::from(self.byte()) / 255.0,
            2 => f64::from_bits(self.word()),
            3 => power_of_ten(self.byte()),
            4 => -f64::from(self.byte()),
            5 => 1.0 - f64::from(self.byte()) * f64::EPSILON,
            6 => self.wild() as f64 / 3.0,
            _ => [
                0.0,
                -0.0,
                f64::NAN,
                f64::INFINITY,
                f64::MIN_POSITIVE,
                f64::MAX,
                5e-324,
                9.007199254740993e15,
            ][self.below(8) as usize],
        }
    }
}

/// From 10^-308 to 10^306.
fn power_of_ten(byte: u32) -> f64 {
    let exponent = byte as i32 % 205 * 3 - 308;
    10_f64.powi(exponent)
}
