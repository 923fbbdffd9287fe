//! The rules, each as a query that gives the rows which break it.

use super::{Check, How, check, documents_twice};

/// Every check.
pub const ALL: &[Check] = &[
    Check {
        reads_all: true,
        ..check(
            "damaged_pages",
            "a line of the integrity check",
            &[],
            "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        )
    },
    Check {
        reads_all: true,
        ..check(
            "dangling_row",
            "table, rowid and the table of the row that is not there",
            &[],
            "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check",
        )
    },
    check(
        "target_without_thread",
        "thread and position of a place whose comment is not there",
        &["thread_target"],
        "SELECT thread_id, position FROM thread_target x WHERE NOT EXISTS (SELECT 1 FROM thread WHERE id = x.thread_id)",
    ),
    check(
        "target_without_document",
        "thread and position of a place whose document is not there",
        &["thread_target"],
        "SELECT thread_id, position FROM thread_target x
            WHERE NOT EXISTS (SELECT 1 FROM document WHERE id = x.document_id)",
    ),
    check(
        "seq_twice",
        "thread and seq that several messages have, or that is negative",
        &[],
        "SELECT thread_id, seq FROM message GROUP BY thread_id, seq HAVING count(*) > 1 OR seq < 0",
    ),
    check(
        "search_key_missing",
        "rowid of a message that the full-text index does not know",
        &["message_fts_docsize"],
        "SELECT rowid FROM message EXCEPT SELECT id FROM message_fts_docsize",
    ),
    check(
        "search_key_stranded",
        "rowid in the full-text index without a message",
        &["message_fts_docsize"],
        "SELECT id FROM message_fts_docsize EXCEPT SELECT rowid FROM message",
    ),
    check(
        "search_trigger_missing",
        "name of a trigger without which the full-text index falls behind",
        &["message_fts"],
        "SELECT value FROM json_each('[\"message_fts_ai\", \"message_fts_ad\", \"message_fts_au\"]')
            EXCEPT SELECT name FROM sqlite_schema WHERE type = 'trigger'",
    ),
    check(
        "target_message_wrong",
        "thread and position of a place that names no message, another comment's, or one that no person wrote",
        &["thread_target.message_id"],
        "SELECT x.thread_id, x.position FROM thread_target x LEFT JOIN message m ON m.id = x.message_id
            WHERE x.message_id IS NOT NULL AND (m.id IS NULL OR m.thread_id <> x.thread_id OR m.role <> 'user')",
    ),
    check(
        "resolved_at_wrong",
        "thread that is resolved without a time, or has a time and is not resolved",
        &[],
        "SELECT id FROM thread WHERE (status = 'resolved') <> (resolved_at IS NOT NULL)",
    ),
    check(
        "status_unknown",
        "thread and its status",
        &[],
        "SELECT id, status FROM thread WHERE status NOT IN ('draft', 'note', 'open', 'resolved')",
    ),
    check(
        "note_in_open_lane",
        "thread that is flagged as a note, is open, and that no agent has answered; normal before generation 10",
        &["thread.is_note", "message.denied"],
        "SELECT id FROM thread t WHERE is_note = 1 AND status = 'open'
            AND NOT EXISTS (SELECT 1 FROM message WHERE thread_id = t.id AND role = 'assistant')",
    ),
    check(
        "group_in_itself",
        "folder that lies in itself",
        &["comment_group"],
        "WITH RECURSIVE above(start, id) AS (
                SELECT id, parent_id FROM comment_group WHERE parent_id IS NOT NULL
                UNION SELECT a.start, g.parent_id FROM above a JOIN comment_group g ON g.id = a.id
                WHERE g.parent_id IS NOT NULL)
            SELECT start FROM above WHERE start = id ORDER BY start",
    ),
    check(
        "group_in_other_workspace",
        "folder whose parent belongs to another workspace",
        &["comment_group"],
        "SELECT c.id FROM comment_group c JOIN comment_group p ON p.id = c.parent_id WHERE c.root <> p.root",
    ),
    check(
        "group_missing",
        "thread whose folder is not there",
        &["comment_group", "thread.group_id"],
        "SELECT id FROM thread t WHERE group_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM comment_group WHERE id = t.group_id)",
    ),
    check(
        "positions_all_equal",
        "position that every one of several comments of one list has: they were never ranked",
        &["thread.position"],
        "SELECT min(position) FROM thread WHERE (SELECT count(DISTINCT position) = 1 AND count(*) > 1 FROM thread)
            HAVING count(*) > 0",
    ),
    check(
        "positions_equal",
        "folder and position that several comments have",
        &["thread.position", "thread.group_id"],
        "SELECT group_id, position FROM thread GROUP BY 1, 2 HAVING count(*) > 1",
    ),
    check(
        "group_positions_equal",
        "workspace, folder and position that several folders have",
        &["comment_group"],
        "SELECT root, parent_id, position FROM comment_group GROUP BY 1, 2, 3 HAVING count(*) > 1",
    ),
    check(
        "session_without_gateway",
        "thread, agent and gateway of a session whose gateway is not there",
        &["thread_session"],
        "SELECT thread_id, sdk, gateway_id FROM thread_session s
            WHERE NOT EXISTS (SELECT 1 FROM agent_gateway WHERE id = s.gateway_id)",
    ),
    check(
        "session_without_thread",
        "thread, agent and gateway of a session whose comment is not there",
        &["thread_session"],
        "SELECT thread_id, sdk, gateway_id FROM thread_session s
            WHERE NOT EXISTS (SELECT 1 FROM thread WHERE id = s.thread_id)",
    ),
    check(
        "session_row_wrong",
        "thread, agent and gateway of a session of an unknown agent, or without an id",
        &["thread_session"],
        "SELECT thread_id, sdk, gateway_id FROM thread_session
            WHERE sdk NOT IN ('claude-agent', 'codex', 'opencode', 'deep-agents') OR session_id = ''",
    ),
    check(
        "session_address_moved",
        "thread, agent and gateway of a session, its address and the route's: the next reply replays",
        &["thread_session", "gateway_route"],
        "SELECT s.thread_id, s.sdk, s.gateway_id, s.base_url, r.base_url
            FROM thread_session s JOIN gateway_route r USING (gateway_id, sdk) WHERE s.base_url IS NOT r.base_url",
    ),
    check(
        "session_without_route",
        "thread, agent and gateway of a session whose gateway has no route for the agent",
        &["thread_session", "gateway_route"],
        "SELECT thread_id, sdk, gateway_id FROM thread_session s WHERE NOT EXISTS (
            SELECT 1 FROM gateway_route r WHERE r.gateway_id = s.gateway_id AND r.sdk = s.sdk)",
    ),
    check(
        "session_shared",
        "agent and session that several comments have",
        &["thread_session"],
        "SELECT sdk, session_id FROM thread_session GROUP BY 1, 2 HAVING count(DISTINCT thread_id) > 1",
    ),
    check(
        "session_returns",
        "thread whose old session has no row: the next opening makes one",
        &["thread_session"],
        "SELECT id FROM thread t WHERE session_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM thread_session s
            WHERE s.thread_id = t.id AND s.sdk = 'claude-agent' AND s.gateway_id = 'rex-original')",
    ),
    check(
        "session_before_sending",
        "thread with a session that was never sent and that no agent has answered",
        &["thread_session"],
        "SELECT DISTINCT s.thread_id FROM thread_session s JOIN thread t ON t.id = s.thread_id
            WHERE t.status IN ('draft', 'note')
            AND NOT EXISTS (SELECT 1 FROM message m WHERE m.thread_id = t.id AND m.role = 'assistant')",
    ),
    check(
        "original_gateway_missing",
        "the gateway that every store has",
        &["agent_gateway"],
        "SELECT 'rex-original' WHERE NOT EXISTS (SELECT 1 FROM agent_gateway WHERE id = 'rex-original')",
    ),
    check(
        "original_route_missing",
        "agent without a route through the gateway that every store has",
        &["agent_gateway", "gateway_route"],
        "SELECT value FROM json_each('[\"claude-agent\", \"codex\", \"opencode\", \"deep-agents\"]')
            WHERE EXISTS (SELECT 1 FROM agent_gateway WHERE id = 'rex-original')
            EXCEPT SELECT sdk FROM gateway_route WHERE gateway_id = 'rex-original'",
    ),
    check(
        "stored_token_missing",
        "gateway and agent of a route whose token is said to be stored and is not",
        &["gateway_route.token_cipher"],
        "SELECT gateway_id, sdk FROM gateway_route WHERE auth = 'stored' AND token_cipher IS NULL",
    ),
    check(
        "gateway_switched_off",
        "gateway that is off and is not the built-in one",
        &["agent_gateway.enabled"],
        "SELECT id FROM agent_gateway WHERE enabled = 0 AND id <> 'rex-builtin'",
    ),
    check(
        "places_missing",
        "thread that is anchored nowhere",
        &["thread_target"],
        "SELECT id FROM thread t WHERE kind = 'anchored'
            AND NOT EXISTS (SELECT 1 FROM thread_target WHERE thread_id = t.id)",
    ),
    check(
        "places_of_synthesis",
        "synthesis with a place",
        &["thread_target"],
        "SELECT id FROM thread t WHERE kind = 'synthesis'
            AND EXISTS (SELECT 1 FROM thread_target WHERE thread_id = t.id)",
    ),
    check(
        "places_with_gaps",
        "thread whose places are not numbered from 0 without a gap",
        &["thread_target"],
        "SELECT thread_id FROM thread_target GROUP BY thread_id
            HAVING min(position) <> 0 OR max(position) <> count(*) - 1",
    ),
    check(
        "place_is_no_object",
        "thread and position of a place that is no JSON object",
        &["thread_target"],
        "SELECT thread_id, position FROM thread_target
            WHERE CASE WHEN json_valid(anchor_json) THEN json_type(anchor_json) <> 'object' ELSE 1 END",
    ),
    check(
        "first_place_elsewhere",
        "thread whose first place is in another document than its own",
        &["thread_target"],
        "SELECT t.id FROM thread t JOIN thread_target x ON x.thread_id = t.id AND x.position = 0
            WHERE x.document_id <> t.document_id",
    ),
    check(
        "anchor_never_moved",
        "thread with an old anchor and no place",
        &["thread_target"],
        "SELECT id FROM thread t WHERE anchor_json IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM thread_target WHERE thread_id = t.id)",
    ),
    check(
        "tool_input_unreadable",
        "message whose tool input is no JSON: the application does not open its comment",
        &[],
        "SELECT id FROM message WHERE tool_input_json IS NOT NULL AND NOT json_valid(tool_input_json)",
    ),
    check(
        "files_unreadable",
        "proposed change whose list of files is no JSON",
        &[],
        "SELECT id FROM apply_run WHERE files_json IS NOT NULL AND NOT json_valid(files_json)",
    ),
    check(
        "note_with_agent",
        "message for the person alone that names an agent, a model or a run",
        &["message.mode", "message.sdk", "message.run_id"],
        "SELECT id FROM message
            WHERE mode = 'note' AND (sdk IS NOT NULL OR model IS NOT NULL OR run_id IS NOT NULL)",
    ),
    check(
        "note_stamped_as_answer",
        "message of a note from before generation 8 that is stamped as an agent's",
        &["thread.is_note", "message.mode", "message.sdk"],
        "SELECT m.id FROM message m JOIN thread t ON t.id = m.thread_id
            WHERE t.is_note = 1 AND m.mode IS NULL AND m.sdk IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM message a WHERE a.thread_id = t.id AND a.role = 'assistant')",
    ),
    check(
        "denied_odd",
        "message that is denied and is no failed tool result",
        &["message.denied"],
        "SELECT id FROM message WHERE denied = 1 AND (kind <> 'tool_result' OR is_error = 0)",
    ),
    check(
        "mode_odd",
        "message with a mode that is unknown, or that no person wrote",
        &["message.mode"],
        "SELECT id FROM message WHERE mode IS NOT NULL AND (role <> 'user' OR mode NOT IN ('ask', 'act', 'note'))",
    ),
    Check {
        how: How::Code(documents_twice),
        ..check(
            "document_twice",
            "documents whose paths are equal but for letter case or Unicode form",
            &[],
            "",
        )
    },
    check(
        "document_is_url",
        "document that no build since generation 6 opens",
        &[],
        "SELECT id FROM document WHERE kind = 'url'",
    ),
    check(
        "document_path_relative",
        "document whose path is not absolute",
        &[],
        "SELECT id FROM document WHERE kind = 'file' AND value NOT LIKE '/%'",
    ),
    check(
        "reference_to_itself",
        "thread that refers to itself",
        &["thread_ref"],
        "SELECT thread_id FROM thread_ref WHERE thread_id = ref_thread_id",
    ),
    check(
        "reference_of_anchored",
        "thread and reference of a comment that is no synthesis",
        &["thread_ref"],
        "SELECT r.thread_id, r.ref_thread_id FROM thread_ref r JOIN thread t ON t.id = r.thread_id
            WHERE t.kind <> 'synthesis'",
    ),
    check(
        "apply_run_odd",
        "proposed change that is pending with an end, or decided without one",
        &["apply_run"],
        "SELECT id FROM apply_run WHERE (status = 'pending') <> (completed_at IS NULL)",
    ),
    check(
        "leftover_table",
        "table that a rebuild left behind, or a vector table that nothing reads any more",
        &[],
        "SELECT name FROM sqlite_schema WHERE name IN ('thread_rebuilt', 'agent_gateway_new', 'gateway_route_new')
            OR sql LIKE 'CREATE VIRTUAL TABLE%USING vec0%'",
    ),
    check(
        "foreign_object",
        "view or trigger that the application did not make",
        &[],
        "SELECT name FROM sqlite_schema WHERE type IN ('view', 'trigger') AND name NOT LIKE 'message\\_fts\\_%' ESCAPE '\\'",
    ),
];
