BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_sqlx_migrations" VALUES(1,'thread history','2026-11-26 04:35:25',1,X'2AD9A4AB17DF511FB73F03337133DE94A172DC0A1F5729B5EF61FE106DB03D1A43BDB5978B0CB7D7BC74071D3CA34A92',707016);
INSERT INTO "_sqlx_migrations" VALUES(2,'thread items item type','2026-11-26 04:35:25',1,X'AE61DBC1A6422530AA93914DBCAC363A0238B86AE1A9D77EB041C75330E1283A0FCF93A043DEEEFCD6FD2C4037694BC4',3185598);
INSERT INTO "_sqlx_migrations" VALUES(3,'turn rollout positions','2026-11-26 04:35:25',1,X'A51DA2A11DF7760D8F8CAB221E82B36CE8C0A30F16D44F3602E7F0FBC622CA72F1C3E3ECF22A194E12C2222BDCB51AFE',572939);
INSERT INTO "_sqlx_migrations" VALUES(4,'thread items updated at ordinal','2026-11-26 04:35:25',1,X'65F33B171BD3AAFE9D24728B2CA6A5C720A3AB54AED472998F8ACF7489F0D35B2DFD12258A2D17BE993BF17098B5E50C',267849);
INSERT INTO "_sqlx_migrations" VALUES(5,'thread realtime items','2026-11-26 04:35:25',1,X'2FDAD8E361DC1F828AFACF10BD2EB1F511B02DEEF7FA234A9C412D0211DE126D1CFAD54B175C9C3A9731548F9084B437',281280);
INSERT INTO "_sqlx_migrations" VALUES(6,'thread turn ends','2026-11-26 04:35:25',1,X'02ED82D375ADB58B5C0C09E0154F3331D507CEA7AF446D12324E5653CDBA9A91F84AFD38CF2A29F33030614689DEB9DE',125351);
CREATE TABLE thread_history_projection_state (
    thread_id TEXT PRIMARY KEY,
    next_rollout_byte_offset INTEGER NOT NULL,
    next_rollout_ordinal INTEGER NOT NULL
);
INSERT INTO "thread_history_projection_state" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a',63855,47);
INSERT INTO "thread_history_projection_state" VALUES('01a21623-0e37-7b03-bf32-327185c75ea5',24857,60);
CREATE TABLE thread_items (
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    rollout_ordinal INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    item_json TEXT NOT NULL, item_type TEXT NOT NULL DEFAULT '', updated_at_ordinal INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (thread_id, turn_id, item_id)
);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','01a21623-0c6f-7a12-89f0-4a8d4992fb9f',7,1795667725424,'{"type":"userMessage","id":"01a21623-0c6f-7a12-89f0-4a8d4992fb9f","clientId":null,"content":[{"type":"text","text":"Do the recorded thing.","text_elements":[]}]}','userMessage',7);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','rs_0102',8,1795667725491,'{"type":"reasoning","id":"rs_0102","summary":["**Looking around**\n\nThere is a file."],"content":[]}','reasoning',8);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','call_0104',11,1795667725551,'{"type":"commandExecution","id":"call_0104","pluginId":null,"scriptPath":null,"command":"/bin/bash -lc ''echo one''","cwd":"/tmp/.tmpez2tQT/stage/project","processId":"34109","source":"unifiedExecStartup","status":"completed","commandActions":[{"type":"unknown","command":"echo one"}],"aggregatedOutput":"one\n","exitCode":0,"durationMs":0}','commandExecution',11);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','call_0203',15,1795667725621,'{"type":"fileChange","id":"call_0203","changes":[{"path":"/tmp/.tmpez2tQT/stage/project/README.md","kind":{"type":"update","move_path":null},"diff":"@@ -2,2 +2,2 @@\n \n-first line\n+first line, changed\n"},{"path":"/tmp/.tmpez2tQT/stage/project/notes.txt","kind":{"type":"add"},"diff":"one\n"}],"status":"completed"}','fileChange',15);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','call_0303',19,1795667725661,'{"type":"mcpToolCall","id":"call_0303","server":"tiny","tool":"echo","status":"completed","arguments":{"text":"a"},"appContext":null,"pluginId":null,"readOnlyHint":true,"result":{"content":[{"type":"text","text":"It was called."}],"structuredContent":{"called":true},"_meta":null},"error":null,"durationMs":7}','mcpToolCall',19);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','ws_0402',22,1795667725730,'{"type":"webSearch","id":"ws_0402","query":"pages","action":{"type":"search","query":"pages","queries":null},"results":null}','webSearch',22);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52','msg_0403',24,1795667725732,'{"type":"agentMessage","id":"msg_0403","text":"Found.","phase":null,"memoryCitation":null,"delivery":null}','agentMessage',24);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0db4-7360-8ba6-3ab50129abb0','01a21623-0db9-7820-854f-f6af3d7e0cbf',34,1795667725753,'{"type":"contextCompaction","id":"01a21623-0db9-7820-854f-f6af3d7e0cbf"}','contextCompaction',34);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0df1-7592-aff0-b18949810c01','01a21623-0e02-7d01-bc17-77c519b68b35',42,1795667725826,'{"type":"userMessage","id":"01a21623-0e02-7d01-bc17-77c519b68b35","clientId":null,"content":[{"type":"text","text":"Do the recorded thing.","text_elements":[]}]}','userMessage',42);
INSERT INTO "thread_items" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0df1-7592-aff0-b18949810c01','msg_0602',43,1795667725862,'{"type":"agentMessage","id":"msg_0602","text":"After that.","phase":null,"memoryCitation":null,"delivery":null}','agentMessage',43);
INSERT INTO "thread_items" VALUES('01a21623-0e37-7b03-bf32-327185c75ea5','01a21623-0e7e-7810-98ad-604a5b1c91e4','01a21623-0e99-7182-b11d-3ab58ba8680a',55,1795667725977,'{"type":"userMessage","id":"01a21623-0e99-7182-b11d-3ab58ba8680a","clientId":null,"content":[{"type":"text","text":"Do the recorded thing.","text_elements":[]}]}','userMessage',55);
INSERT INTO "thread_items" VALUES('01a21623-0e37-7b03-bf32-327185c75ea5','01a21623-0e7e-7810-98ad-604a5b1c91e4','msg_0702',56,1795667726037,'{"type":"agentMessage","id":"msg_0702","text":"On the fork.","phase":null,"memoryCitation":null,"delivery":null}','agentMessage',56);
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
    final_agent_item_id TEXT, rollout_byte_offset INTEGER, rollout_end_ordinal INTEGER, rollout_end_byte_offset INTEGER,
    PRIMARY KEY (thread_id, turn_id)
);
INSERT INTO "thread_turns" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0c06-7a23-92c4-3c5b768efe52',1,'completed',NULL,1795667725,1795667725,418,'01a21623-0c6f-7a12-89f0-4a8d4992fb9f','msg_0403',15435,27,41000);
INSERT INTO "thread_turns" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0db4-7360-8ba6-3ab50129abb0',28,'completed',NULL,1795667725,1795667725,58,NULL,NULL,41000,35,45899);
INSERT INTO "thread_turns" VALUES('01a21623-0be4-78c1-814a-74ab1d3fc59a','01a21623-0df1-7592-aff0-b18949810c01',36,'completed',NULL,1795667725,1795667725,61,'01a21623-0e02-7d01-bc17-77c519b68b35','msg_0602',45899,46,63855);
INSERT INTO "thread_turns" VALUES('01a21623-0e37-7b03-bf32-327185c75ea5','01a21623-0e7e-7810-98ad-604a5b1c91e4',49,'completed',NULL,1795667725,1795667726,92,'01a21623-0e99-7182-b11d-3ab58ba8680a','msg_0702',16874,59,24857);
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
