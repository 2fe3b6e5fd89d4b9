//! Any bytes give an error or a valid problem, and a valid problem survives writing and reading.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(problem) = percuss_fclib::read_bytes("fuzz", data) else {
        return;
    };
    // Only the 32-bit integers and the text of the layout can refuse a problem that was read.
    if let Ok(bytes) = percuss_fclib::write_bytes("fuzz", &problem) {
        let again = percuss_fclib::read_bytes("again", &bytes).expect("what was written is readable");
        assert_eq!(again, problem);
    }
});
