// All pieces of the tutorial's scheduler, for the blocks of the page that use them.
include!("names.rs");
include!("report.rs");
include!("time.rs");
include!("failure.rs");
include!("story.rs");
