BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_sqlx_migrations" VALUES(1,'thread history','2026-11-26 04:32:58',1,X'2AD9A4AB17DF511FB73F03337133DE94A172DC0A1F5729B5EF61FE106DB03D1A43BDB5978B0CB7D7BC74071D3CA34A92',475750);
INSERT INTO "_sqlx_migrations" VALUES(2,'thread items item type','2026-11-26 04:32:58',1,X'AE61DBC1A6422530AA93914DBCAC363A0238B86AE1A9D77EB041C75330E1283A0FCF93A043DEEEFCD6FD2C4037694BC4',411816);
INSERT INTO "_sqlx_migrations" VALUES(3,'turn rollout positions','2026-11-26 04:32:58',1,X'A51DA2A11DF7760D8F8CAB221E82B36CE8C0A30F16D44F3602E7F0FBC622CA72F1C3E3ECF22A194E12C2222BDCB51AFE',573801);
INSERT INTO "_sqlx_migrations" VALUES(4,'thread items updated at ordinal','2026-11-26 04:32:58',1,X'65F33B171BD3AAFE9D24728B2CA6A5C720A3AB54AED472998F8ACF7489F0D35B2DFD12258A2D17BE993BF17098B5E50C',358197);
INSERT INTO "_sqlx_migrations" VALUES(5,'thread realtime items','2026-11-26 04:32:58',1,X'2FDAD8E361DC1F828AFACF10BD2EB1F511B02DEEF7FA234A9C412D0211DE126D1CFAD54B175C9C3A9731548F9084B437',395369);
INSERT INTO "_sqlx_migrations" VALUES(6,'thread turn ends','2026-11-26 04:32:58',1,X'02ED82D375ADB58B5C0C09E0154F3331D507CEA7AF446D12324E5653CDBA9A91F84AFD38CF2A29F33030614689DEB9DE',145325);
INSERT INTO "_sqlx_migrations" VALUES(7,'thread item lifecycle timestamps','2026-11-26 04:32:58',1,X'9334ADB4CDA792116A47B69A19E3840AE3806B08773EF1794043FE0AA72891360ACB1A0A8431084D53C568482C5FDD20',515532);
INSERT INTO "_sqlx_migrations" VALUES(8,'thread turn root','2026-11-26 04:32:58',1,X'94635CD58535ADB1679F4AD07A9D14231B69004405FA88A22DB1B6A7E5FEAC8B6B66AD97EA16FCE464B99BFF5B3548D3',254815);
CREATE TABLE thread_history_projection_state (
    thread_id TEXT PRIMARY KEY,
    next_rollout_byte_offset INTEGER NOT NULL,
    next_rollout_ordinal INTEGER NOT NULL
);
INSERT INTO "thread_history_projection_state" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85',55208,35);
INSERT INTO "thread_history_projection_state" VALUES('01a21620-ce2b-7972-96b8-c7b9f72fd71b',75323,28);
CREATE TABLE thread_items (
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    rollout_ordinal INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    item_json TEXT NOT NULL, item_type TEXT NOT NULL DEFAULT '', updated_at_ordinal INTEGER NOT NULL DEFAULT 0, started_at_ms INTEGER, completed_at_ms INTEGER,
    PRIMARY KEY (thread_id, turn_id, item_id)
);
INSERT INTO "thread_items" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5','01a21620-cdb0-7bc3-a54e-5fc3d8180d18',10,1795667578289,'{"type":"userMessage","id":"01a21620-cdb0-7bc3-a54e-5fc3d8180d18","clientId":null,"content":[{"type":"text","text":"Do the recorded thing.","text_elements":[]}]}','userMessage',10,1795667578289,1795667578289);
INSERT INTO "thread_items" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5','call_0103',13,1795667578366,'{"type":"commandExecution","id":"call_0103","pluginId":null,"scriptPath":null,"command":"/bin/bash -lc ''echo before''","cwd":"/tmp/.tmpTJRIWX/stage/project","processId":"14375","source":"unifiedExecStartup","status":"completed","commandActions":[{"type":"unknown","command":"echo before"}],"aggregatedOutput":"before\n","exitCode":0,"durationMs":0}','commandExecution',13,1795667578366,1795667578366);
INSERT INTO "thread_items" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5','call_0203',18,1795667578425,'{"type":"subAgentActivity","model":"gpt-5.5","reasoningEffort":"medium","id":"call_0203","kind":"started","agentThreadId":"01a21620-ce2b-7972-96b8-c7b9f72fd71b","agentPath":"/root/kid_one"}','subAgentActivity',18,1795667578425,1795667578425);
INSERT INTO "thread_items" VALUES('01a21620-ce2b-7972-96b8-c7b9f72fd71b','01a21620-ce38-7881-9621-d676d026771d','msg_0302',23,1795667578478,'{"type":"agentMessage","moderation":null,"id":"msg_0302","text":"Three.","phase":null,"memoryCitation":null,"delivery":null,"questions":null}','agentMessage',23,1795667578478,1795667578479);
INSERT INTO "thread_items" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5','subagent-completed-01a21620-ce38-7881-9621-d676d026771d',24,1795667578499,'{"type":"subAgentActivity","model":null,"reasoningEffort":null,"id":"subagent-completed-01a21620-ce38-7881-9621-d676d026771d","kind":"completed","agentThreadId":"01a21620-ce2b-7972-96b8-c7b9f72fd71b","agentPath":"/root/kid_one"}','subAgentActivity',24,1795667578499,1795667578499);
INSERT INTO "thread_items" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5','call_0403',25,1795667578647,'{"type":"commandExecution","id":"call_0403","pluginId":null,"scriptPath":null,"command":"/bin/bash -lc ''sleep 1''","cwd":"/tmp/.tmpTJRIWX/stage/project","processId":"15885","source":"unifiedExecStartup","status":"completed","commandActions":[{"type":"unknown","command":"sleep 1"}],"aggregatedOutput":null,"exitCode":0,"durationMs":868}','commandExecution',25,1795667578647,1795667579516);
INSERT INTO "thread_items" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5','msg_0502',30,1795667579538,'{"type":"agentMessage","moderation":null,"id":"msg_0502","text":"All is known.","phase":null,"memoryCitation":null,"delivery":null,"questions":null}','agentMessage',30,1795667579538,1795667579538);
CREATE TABLE thread_realtime_items (
    thread_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    rollout_ordinal INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    item_type TEXT NOT NULL,
    item_json TEXT NOT NULL,
    PRIMARY KEY (thread_id, item_id)
);
CREATE TABLE thread_turns (
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    rollout_ordinal INTEGER NOT NULL,
    status TEXT NOT NULL,
    error_json TEXT,
    started_at INTEGER,
    completed_at INTEGER,
    duration_ms INTEGER,
    first_user_item_id TEXT,
    final_agent_item_id TEXT, rollout_byte_offset INTEGER, rollout_end_ordinal INTEGER, rollout_end_byte_offset INTEGER, root_turn_id TEXT,
    PRIMARY KEY (thread_id, turn_id)
);
INSERT INTO "thread_turns" VALUES('01a21620-cd78-7a83-8020-c33ef545aa85','01a21620-cd83-7820-be21-42921775f0a5',1,'completed',NULL,1795667578,1795667579,1300,'01a21620-cdb0-7bc3-a54e-5fc3d8180d18','msg_0502',22304,34,55208,'01a21620-cd83-7820-be21-42921775f0a5');
INSERT INTO "thread_turns" VALUES('01a21620-ce2b-7972-96b8-c7b9f72fd71b','01a21620-ce38-7881-9621-d676d026771d',17,'completed',NULL,1795667578,1795667578,71,NULL,'msg_0302',69237,27,75323,'01a21620-cd83-7820-be21-42921775f0a5');
CREATE UNIQUE INDEX idx_thread_turns_page
    ON thread_turns(thread_id, rollout_ordinal);
CREATE UNIQUE INDEX idx_thread_items_page
    ON thread_items(thread_id, rollout_ordinal);
CREATE INDEX idx_thread_items_by_turn_page
    ON thread_items(thread_id, turn_id, rollout_ordinal);
CREATE INDEX idx_thread_items_user_messages
    ON thread_items(thread_id, rollout_ordinal)
    WHERE item_type = 'userMessage';
CREATE INDEX idx_thread_items_updated_page
    ON thread_items(thread_id, updated_at_ordinal);
CREATE INDEX idx_thread_items_by_turn_updated_page
    ON thread_items(thread_id, turn_id, updated_at_ordinal);
CREATE UNIQUE INDEX idx_thread_realtime_items_page
    ON thread_realtime_items(thread_id, rollout_ordinal);
CREATE INDEX idx_thread_realtime_items_boundary
    ON thread_realtime_items(thread_id, rollout_ordinal)
    WHERE item_type IN ('realtime_session_started', 'realtime_session_closed');
CREATE TRIGGER thread_realtime_items_projection_cleanup
    AFTER DELETE ON thread_history_projection_state
BEGIN
    DELETE FROM thread_realtime_items WHERE thread_id = OLD.thread_id;
END;
CREATE INDEX idx_thread_turns_end_page
    ON thread_turns(thread_id, rollout_end_ordinal, turn_id)
    WHERE rollout_end_ordinal IS NOT NULL;
COMMIT;
