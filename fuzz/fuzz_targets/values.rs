#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| aryl_fuzz::values::run(data));
