#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mainstay_fuzzing::stream_openai_chat(data));
