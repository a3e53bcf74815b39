//! The chores, on the repository itself and on small ones made for a test; and that the types
//! agree with the model they were made from. See `--help` for filters.

#![allow(clippy::unwrap_used, reason = "what supports tests fails by panicking")]

mod agreement;
mod arguments;
mod coverage;
mod documents;
mod fixtures;
mod hooks;
mod meaning;
mod pack_python;
mod pack_types;
mod packages;
mod rollouts;
mod runs;
mod schemas;
mod sync;
mod type_files;
mod words;
mod written;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// The functions of a module as trials.
macro_rules! trials {
    ($module:ident: $($test:ident),* $(,)?) => {
        [$(Trial::test(
            concat!(stringify!($module), "::", stringify!($test)),
            || { $module::$test(); Ok(()) },
        )),*]
    };
}

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(agreement::trials());
    trials.extend(arguments::trials());
    trials.extend(hooks::trials());
    trials.extend(meaning::trials());
    trials.extend(pack_python::trials());
    trials.extend(rollouts::trials());
    trials.extend(sync::trials());
    trials.extend(type_files::trials());
    trials.extend(written::trials());
    trials.extend(trials!(coverage:
        the_pages_are_up_to_date,
        nothing_of_the_core_protocol_is_left_without_a_fixture,
        the_page_about_the_app_server_stays_readable,
        frames_go_by_the_name_of_their_root,
        every_type_of_the_origins_has_a_definition_that_their_messages_reach,
        the_kinds_the_origins_have_are_those_of_the_document,
        kinds_around_a_value_are_told_from_bare_ones,
        alternatives_are_told_apart_by_their_json_kind,
        the_reading_side_takes_more_than_the_writing_side,
        absence_and_null_are_features,
        the_duplicate_id_is_two_features,
        untagged_unions_are_told_apart_by_what_fits,
        what_the_document_does_not_declare_is_not_marked,
        members_live_no_longer_than_what_holds_them));
    trials.extend(trials!(pack_types: every_release_resolves));
    trials.extend(trials!(documents: the_documents_are_what_the_types_say));
    trials.extend(trials!(schemas: the_archive_is_the_same_each_time));
    trials.extend(trials!(fixtures:
        files_and_manifests_agree,
        an_import_leaves_a_tree_that_agrees,
        connections_are_imported_as_they_are,
        what_is_here_stays_and_what_is_not_selected_goes,
        an_import_refuses_what_is_missing_or_altered,
        every_disagreement_is_a_problem,
        the_early_stream_and_the_core_protocol_are_held_too,
        recordings_of_mcp_server_are_held_too,
        traces_are_held_too,
        the_app_server_protocol_is_held_too,
        hand_written_transcripts_of_both_directions_say_what_they_are,
        private_places_do_not_get_in));
    trials.extend(trials!(runs:
        a_run_is_imported_whole,
        what_another_release_wrote_is_named,
        runs_that_are_not_imported_again_stay,
        an_altered_run_is_refused,
        an_edit_of_a_run_is_noticed,
        runs_of_hooks_and_payloads_are_imported));
    trials.extend(trials!(packages:
        manifests_say_what_a_registry_shows,
        packages_hold_a_readme_and_licences_and_no_tests,
        examples_of_readmes_are_compiled,
        nothing_is_built_for_tests_that_are_not_there));
    trials.extend(trials!(words:
        replaced_words_are_not_used,
        each_pattern_finds_its_sample));
    trials.push(Trial::test("every_test_is_listed", every_test_is_listed));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    agreement::report();
    meaning::report();
    hooks::report();
    conclusion.exit_code()
}

/// Nothing here is run by an attribute: what carries it would never run.
fn every_test_is_listed() -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path)?;
                if text.lines().any(|line| line.trim() == "#[test]") {
                    return Err(
                        format!("a test in {} is not listed in main.rs", path.display()).into(),
                    );
                }
            }
        }
    }
    Ok(())
}
