//! The generated session file: what 0.171.0 keeps of a thread that works with commands.
//!
//! Members and their order are those of recorded lines. Recorded outputs are a few words; here an
//! output has 0.2 to 6 KB, as those of real commands. A turn has ten commands.

use std::fmt::Write as _;

use serde_json::Value;

use crate::random::Random;
use crate::text;

/// Commands of a turn.
const COMMANDS: u64 = 10;

/// Milliseconds since the epoch at which the thread begins: 2026-11-22T15:01:40.000Z.
const BEGIN: u64 = 1_795_359_700_000;

/// A session file of about `size` bytes, the same every time.
pub(crate) fn session_file(size: usize) -> Vec<u8> {
    let mut random = Random::new(169);
    let mut file = File {
        out: String::with_capacity(size + 65_536),
        thread: random.uuid(),
        turn: String::new(),
        random,
        ordinal: 0,
        sequence: 0,
        answers: 0,
        before: 0,
        begun: 0,
    };
    file.meta();
    while file.out.len() < size {
        file.turn();
    }
    file.out.into_bytes()
}

struct File {
    out: String,
    thread: String,
    turn: String,
    random: Random,
    ordinal: u64,
    sequence: u64,
    /// How often the model has answered.
    answers: u64,
    /// How often it had when the turn began.
    before: u64,
    /// When the turn began, in seconds.
    begun: u64,
}

impl File {
    fn line(&mut self, kind: &str, payload: &str, metadata: &str) {
        let ms = self.ordinal * 7;
        let (hours, minutes) = (15 + ms / 3_600_000 % 9, ms / 60_000 % 60);
        let (seconds, ms) = (ms / 1000 % 60, ms % 1000);
        let day = 1 + self.ordinal * 7 / 32_400_000 % 28;
        let _ = writeln!(
            self.out,
            "{{\"timestamp\":\"2027-01-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{ms:03}Z\",\
             \"ordinal\":{},\"type\":\"{kind}\",\"payload\":{payload}{metadata}}}",
            self.ordinal
        );
        self.ordinal += 1;
    }

    fn now(&self) -> u64 {
        BEGIN + self.ordinal * 7
    }

    fn meta(&mut self) {
        let (thread, window) = (self.thread.clone(), self.random.uuid());
        let payload = format!(
            "{{\"account_scoped\":true,\"session_id\":\"{thread}\",\"id\":\"{thread}\",\
             \"timestamp\":\"2026-11-22T15:01:40.800Z\",\"cwd\":\"/workspace/project\",\
             \"runtime_workspace_roots\":[\"/workspace/project\"],\"originator\":\"codex_exec\",\
             \"cli_version\":\"0.171.0\",\"source\":\"exec\",\"thread_source\":\"user\",\
             \"model_provider\":\"mock\",\"base_instructions\":{{\"text\":\"You are a scripted \
             model.\",\"provenance\":{{\"type\":\"custom\"}}}},\"history_mode\":\"paginated\",\
             \"context_window\":{{\"window_id\":\"{window}\"}},\"git\":{{\"commit_hash\":\
             \"d0303de970cc5669ad463de292894bca81e2de53\",\"branch\":\"main\"}}}}"
        );
        self.line("session_meta", &payload, "");
    }

    fn turn(&mut self) {
        self.turn = self.random.uuid();
        self.before = self.answers;
        self.turn_started();
        self.prompt();
        for _ in 0..COMMANDS {
            self.command();
        }
        self.answer();
    }

    fn turn_started(&mut self) {
        let turn = self.turn.clone();
        let at = self.now() / 1000;
        self.begun = at;
        let started = format!(
            "{{\"type\":\"task_started\",\"turn_attribution\":{{\"turn_id\":\"{turn}\",\
             \"turn_trigger\":\"exec\",\"parent_turn_id\":null,\"initiating_agent_path\":null,\
             \"root_turn_id\":\"{turn}\"}},\"turn_id\":\"{turn}\",\"root_turn_id\":\"{turn}\",\
             \"started_at\":{at},\"model_context_window\":258400,\
             \"collaboration_mode_kind\":\"default\"}}"
        );
        self.line("event_msg", &started, "");
        let context = format!(
            "{{\"turn_id\":\"{turn}\",\"root_turn_id\":\"{turn}\",\"disabled_plugin_ids\":[],\
             \"cwd\":\"/workspace/project\",\"approval_policy\":\"never\",\
             \"approvals_reviewer\":\"user\",\"permission_profile\":{{\"type\":\"disabled\"}},\
             \"model\":\"gpt-5.5\",\"comp_hash\":\"2911\",\"collaboration_mode\":{{\"mode\":\
             \"default\",\"settings\":{{\"model\":\"gpt-5.5\",\"reasoning_effort\":null,\
             \"developer_instructions\":null}}}},\"multi_agent_version\":\"v1\",\
             \"realtime_active\":false,\"summary\":\"none\",\
             \"sandbox_policy\":{{\"type\":\"danger-full-access\"}}}}"
        );
        self.line("turn_context", &context, "");
    }

    fn prompt(&mut self) {
        let (turn, at) = (self.turn.clone(), self.now());
        let (id, revision) = (self.random.uuid(), self.random.uuid());
        let text = Value::from(text::words(&mut self.random, 25));
        let message = format!(
            "{{\"type\":\"message\",\"id\":\"msg_{id}\",\"role\":\"user\",\"content\":[{{\"type\":\
             \"input_text\",\"text\":{text}}}],\"internal_chat_message_metadata_passthrough\":\
             {{\"turn_id\":\"{turn}\",\"create_time\":{}.885727,\"content_item_kinds\":\
             [\"user.text\"],\"content_item_metadata\":[{{\"provenance\":{{\"type\":\"user\"}}}}]}}}}",
            at / 1000
        );
        self.sequence += 1;
        let metadata = format!(
            ",\"metadata\":{{\"history_sequence\":{},\"sampled_through_sequence\":{},\
             \"retained_source\":{{\"id\":{{\"message_id\":\"msg_{id}\",\"turn_id\":\"{turn}\",\
             \"role\":\"user\"}},\"revision\":\"retained_{revision}\",\"complete\":true}},\
             \"client_authored\":false,\"user_input_order\":0,\
             \"mcp_attribution\":{{\"status\":\"none\"}},\"model_search_state\":\"unused\"}}",
            self.sequence,
            self.sequence - 1
        );
        self.line("response_item", &message, &metadata);
        let id = self.random.uuid();
        let item = format!(
            "{{\"type\":\"UserMessage\",\"id\":\"{id}\",\"content\":[{{\"type\":\"text\",\
             \"text\":{text},\"text_elements\":[]}}]}}"
        );
        self.item(&item);
    }

    fn item(&mut self, item: &str) {
        let (thread, turn, at) = (&self.thread, &self.turn, self.now());
        let payload = format!(
            "{{\"type\":\"item_completed\",\"thread_id\":\"{thread}\",\"turn_id\":\"{turn}\",\
             \"item\":{item},\"started_at_ms\":{at},\"completed_at_ms\":{at}}}"
        );
        self.line("event_msg", &payload, "");
    }

    fn command(&mut self) {
        let call = self.ordinal;
        let command = format!("rg -n {}", text::words(&mut self.random, 2));
        let size = self.random.between_log(200, 6000);
        let output = text::output(&mut self.random, size);
        let arguments = Value::from(format!(
            "{{\"cmd\": {}, \"yield_time_ms\": 20000}}",
            Value::from(&*command)
        ));
        let turn = self.turn.clone();
        let called = format!(
            "{{\"type\":\"function_call\",\"status\":\"completed\",\"id\":\"fc_{call}\",\"name\":\
             \"exec_command\",\"arguments\":{arguments},\"call_id\":\"call_{call}\",\
             \"internal_chat_message_metadata_passthrough\":{{\"turn_id\":\"{turn}\"}}}}"
        );
        let metadata = self.metadata(",\"user_input_order\":1");
        self.line("response_item", &called, &metadata);
        self.usage_record();
        let command = Value::from(command);
        let whole = Value::from(&*output);
        let item = format!(
            "{{\"type\":\"CommandExecution\",\"id\":\"call_{call}\",\"process_id\":\"{call}\",\
             \"command\":[\"/bin/bash\",\"-lc\",{command}],\"cwd\":\"file:///workspace/project\",\
             \"parsed_cmd\":[{{\"type\":\"unknown\",\"cmd\":{command}}}],\"source\":\
             \"unified_exec_startup\",\"status\":\"completed\",\"aggregated_output\":{whole},\
             \"exit_code\":0,\"duration\":{{\"secs\":0,\"nanos\":6492}}}}"
        );
        self.item(&item);
        let shown = Value::from(format!(
            "Chunk ID: 96f6c9\nWall time: 0.0000 seconds\nProcess exited with code 0\nOriginal token \
             count: 10\nOutput:\n{output}"
        ));
        let (id, at) = (self.random.uuid(), self.now() / 1000);
        let answered = format!(
            "{{\"type\":\"function_call_output\",\"id\":\"fco_{id}\",\"call_id\":\"call_{call}\",\
             \"output\":{shown},\"internal_chat_message_metadata_passthrough\":{{\"turn_id\":\
             \"{turn}\",\"create_time\":{at}.1058655}}}}"
        );
        let metadata = self.metadata(",\"fallback_token_limit_override\":12000");
        self.line("response_item", &answered, &metadata);
        self.token_count();
    }

    fn metadata(&mut self, more: &str) -> String {
        self.sequence += 1;
        format!(
            ",\"metadata\":{{\"history_sequence\":{},\"sampled_through_sequence\":{},\
             \"client_authored\":false{more},\"model_search_state\":\"unused\"}}",
            self.sequence,
            self.sequence - 1
        )
    }

    fn answer(&mut self) {
        let (turn, id) = (self.turn.clone(), self.random.uuid());
        let text = Value::from(text::words(&mut self.random, 120));
        let item = format!(
            "{{\"type\":\"AgentMessage\",\"id\":\"msg_{id}\",\"content\":[{{\"type\":\"Text\",\
             \"text\":{text}}}]}}"
        );
        self.item(&item);
        let message = format!(
            "{{\"type\":\"message\",\"status\":\"completed\",\"id\":\"msg_{id}\",\"role\":\
             \"assistant\",\"content\":[{{\"type\":\"output_text\",\"text\":{text},\
             \"annotations\":[]}}],\"internal_chat_message_metadata_passthrough\":{{\"turn_id\":\
             \"{turn}\",\"content_item_kinds\":[\"unknown\"]}}}}"
        );
        let metadata = self.metadata(",\"user_input_order\":1");
        self.line("response_item", &message, &metadata);
        self.usage_record();
        self.token_count();
        let (begun, at) = (self.begun, self.now() / 1000);
        let complete = format!(
            "{{\"type\":\"task_complete\",\"root_turn_id\":\"{turn}\",\"turn_id\":\"{turn}\",\
             \"last_agent_message\":{text},\"started_at\":{begun},\"completed_at\":{at},\
             \"duration_ms\":1481,\"time_to_first_token_ms\":141}}"
        );
        self.line("event_msg", &complete, "");
    }

    fn usage_record(&mut self) {
        self.answers += 1;
        let (thread, turn, answers) = (&self.thread, &self.turn, self.answers);
        let (of_turn, of_thread) = (usage(answers - self.before), usage(answers));
        let payload = format!(
            "{{\"thread_id\":\"{thread}\",\"turn_id\":\"{turn}\",\"session_id\":\"{thread}\",\
             \"root_turn_id\":\"{turn}\",\"response_id\":\"resp_{answers}\",\"usage\":{},\
             \"turn_token_usage\":{of_turn},\"thread_token_usage\":{of_thread}}}",
            usage(1)
        );
        self.line("token_usage_record", &payload, "");
    }

    fn token_count(&mut self) {
        let payload = format!(
            "{{\"type\":\"token_count\",\"info\":{{\"total_token_usage\":{},\"last_token_usage\":{},\
             \"last_usage_includes_reasoning\":false,\"model_context_window\":258400}},\
             \"rate_limits\":{{\"limit_id\":\"codex\",\"limit_name\":null,\"primary\":null,\
             \"secondary\":null,\"credits\":null,\"individual_limit\":null,\
             \"spend_control_reached\":null,\"plan_type\":null,\"rate_limit_reached_type\":null}}}}",
            usage(self.answers),
            usage(1)
        );
        self.line("event_msg", &payload, "");
    }
}

/// The tokens of so many answers.
fn usage(answers: u64) -> String {
    format!(
        "{{\"input_tokens\":{},\"cached_input_tokens\":{},\"cache_write_input_tokens\":0,\
         \"output_tokens\":{},\"reasoning_output_tokens\":{},\"total_tokens\":{}}}",
        1200 * answers,
        1000 * answers,
        34 * answers,
        12 * answers,
        1234 * answers
    )
}
