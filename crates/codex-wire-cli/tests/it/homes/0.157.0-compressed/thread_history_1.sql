BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_sqlx_migrations" VALUES(1,'thread history','2026-11-26 04:39:49',1,X'2AD9A4AB17DF511FB73F03337133DE94A172DC0A1F5729B5EF61FE106DB03D1A43BDB5978B0CB7D7BC74071D3CA34A92',2029537);
INSERT INTO "_sqlx_migrations" VALUES(2,'thread items item type','2026-11-26 04:39:49',1,X'AE61DBC1A6422530AA93914DBCAC363A0238B86AE1A9D77EB041C75330E1283A0FCF93A043DEEEFCD6FD2C4037694BC4',1183048);
INSERT INTO "_sqlx_migrations" VALUES(3,'turn rollout positions','2026-11-26 04:39:49',1,X'A51DA2A11DF7760D8F8CAB221E82B36CE8C0A30F16D44F3602E7F0FBC622CA72F1C3E3ECF22A194E12C2222BDCB51AFE',1050063);
INSERT INTO "_sqlx_migrations" VALUES(4,'thread items updated at ordinal','2026-11-26 04:39:49',1,X'65F33B171BD3AAFE9D24728B2CA6A5C720A3AB54AED472998F8ACF7489F0D35B2DFD12258A2D17BE993BF17098B5E50C',518893);
INSERT INTO "_sqlx_migrations" VALUES(5,'thread realtime items','2026-11-26 04:39:49',1,X'2FDAD8E361DC1F828AFACF10BD2EB1F511B02DEEF7FA234A9C412D0211DE126D1CFAD54B175C9C3A9731548F9084B437',514065);
INSERT INTO "_sqlx_migrations" VALUES(6,'thread turn ends','2026-11-26 04:39:49',1,X'02ED82D375ADB58B5C0C09E0154F3331D507CEA7AF446D12324E5653CDBA9A91F84AFD38CF2A29F33030614689DEB9DE',506569);
INSERT INTO "_sqlx_migrations" VALUES(7,'thread item lifecycle timestamps','2026-11-26 04:39:49',1,X'9334ADB4CDA792116A47B69A19E3840AE3806B08773EF1794043FE0AA72891360ACB1A0A8431084D53C568482C5FDD20',1255866);
CREATE TABLE thread_history_projection_state (
    thread_id TEXT PRIMARY KEY,
    next_rollout_byte_offset INTEGER NOT NULL,
    next_rollout_ordinal INTEGER NOT NULL
);
INSERT INTO "thread_history_projection_state" VALUES('01a21627-1506-7911-bbea-f6568208c8c0',39557,13);
INSERT INTO "thread_history_projection_state" VALUES('01a21627-16b8-70d3-ac49-b01e41bf7389',39533,13);
CREATE TABLE thread_items (
    thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    rollout_ordinal INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    item_json TEXT NOT NULL, item_type TEXT NOT NULL DEFAULT '', updated_at_ordinal INTEGER NOT NULL DEFAULT 0, started_at_ms INTEGER, completed_at_ms INTEGER,
    PRIMARY KEY (thread_id, turn_id, item_id)
);
INSERT INTO "thread_items" VALUES('01a21627-1506-7911-bbea-f6568208c8c0','01a21627-1522-7dd3-b29c-3a0f441d9274','01a21627-159a-7033-9a03-2d686420a301',7,1795667989915,'{"type":"userMessage","id":"01a21627-159a-7033-9a03-2d686420a301","clientId":null,"content":[{"type":"text","text":"Do the recorded thing.","text_elements":[]}]}','userMessage',7,1795667989915,1795667989915);
INSERT INTO "thread_items" VALUES('01a21627-1506-7911-bbea-f6568208c8c0','01a21627-1522-7dd3-b29c-3a0f441d9274','msg_0102',8,1795667989941,'{"type":"agentMessage","id":"msg_0102","text":"Old.","phase":null,"memoryCitation":null,"delivery":null,"questions":null}','agentMessage',8,1795667989941,1795667989943);
INSERT INTO "thread_items" VALUES('01a21627-16b8-70d3-ac49-b01e41bf7389','01a21627-16e6-78e1-9fea-fc8aa3b7be03','01a21627-1717-77f1-9466-04f1c798d684',7,1795667990296,'{"type":"userMessage","id":"01a21627-1717-77f1-9466-04f1c798d684","clientId":null,"content":[{"type":"text","text":"Do the recorded thing.","text_elements":[]}]}','userMessage',7,1795667990296,1795667990296);
INSERT INTO "thread_items" VALUES('01a21627-16b8-70d3-ac49-b01e41bf7389','01a21627-16e6-78e1-9fea-fc8aa3b7be03','msg_0202',8,1795667990343,'{"type":"agentMessage","id":"msg_0202","text":"New.","phase":null,"memoryCitation":null,"delivery":null,"questions":null}','agentMessage',8,1795667990343,1795667990343);
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
INSERT INTO "thread_turns" VALUES('01a21627-1506-7911-bbea-f6568208c8c0','01a21627-1522-7dd3-b29c-3a0f441d9274',1,'completed',NULL,1795667989,1795667989,164,'01a21627-159a-7033-9a03-2d686420a301','msg_0102',22255,12,39557);
INSERT INTO "thread_turns" VALUES('01a21627-16b8-70d3-ac49-b01e41bf7389','01a21627-16e6-78e1-9fea-fc8aa3b7be03',1,'completed',NULL,1795667990,1795667990,104,'01a21627-1717-77f1-9466-04f1c798d684','msg_0202',22232,12,39533);
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
