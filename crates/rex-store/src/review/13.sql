-- A fresh review store of generation 13. Each statement leaves alone what is there already.
CREATE TABLE IF NOT EXISTS document (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('file')),
  value TEXT NOT NULL,
  title TEXT,
  content_hash TEXT,
  last_seen_at TEXT NOT NULL,
  UNIQUE (kind, value)
);
CREATE TABLE IF NOT EXISTS comment_group (
  id TEXT PRIMARY KEY,
  root TEXT NOT NULL,
  parent_id TEXT REFERENCES comment_group(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  collapsed INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS idx_group_root ON comment_group(root, parent_id, position);
CREATE TABLE IF NOT EXISTS thread (
  id TEXT PRIMARY KEY,
  document_id TEXT NOT NULL REFERENCES document(id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('anchored','synthesis')),
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('draft','note','open','resolved')),
  anchor_json TEXT,
  extra_anchors_json TEXT,
  anchor_state TEXT CHECK (anchor_state IN ('ok','moved','orphaned')),
  note TEXT NOT NULL,
  title TEXT,
  group_id TEXT REFERENCES comment_group(id) ON DELETE SET NULL,
  is_note INTEGER NOT NULL DEFAULT 0,
  position INTEGER NOT NULL DEFAULT 0,
  session_id TEXT,
  profile TEXT NOT NULL DEFAULT 'read' CHECK (profile IN ('read','write')),
  model TEXT,
  style TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  resolved_at TEXT
);
CREATE INDEX IF NOT EXISTS idx_thread_doc ON thread(document_id, status);
CREATE TABLE IF NOT EXISTS thread_target (
  thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  document_id TEXT NOT NULL REFERENCES document(id) ON DELETE CASCADE,
  anchor_json TEXT NOT NULL,
  anchor_state TEXT CHECK (anchor_state IN ('ok','moved','orphaned')),
  message_id TEXT,
  PRIMARY KEY (thread_id, position)
);
CREATE INDEX IF NOT EXISTS idx_target_document ON thread_target(document_id);
CREATE TABLE IF NOT EXISTS message (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user','assistant','system')),
  kind TEXT NOT NULL,
  mode TEXT CHECK (mode IN ('ask','act','note')),
  model TEXT,
  style TEXT,
  sdk TEXT,
  gateway_name TEXT,
  base_url TEXT,
  run_id TEXT,
  content TEXT,
  tool_name TEXT,
  tool_input_json TEXT,
  is_error INTEGER NOT NULL DEFAULT 0,
  denied INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL,
  duration_ms INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_message_seq ON message(thread_id, seq);
CREATE TABLE IF NOT EXISTS agent_gateway (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('original','builtin','litellm')),
  enabled INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS gateway_route (
  gateway_id TEXT NOT NULL REFERENCES agent_gateway(id) ON DELETE CASCADE,
  sdk TEXT NOT NULL CHECK (sdk IN ('claude-agent','codex','opencode','deep-agents')),
  base_url TEXT,
  auth TEXT NOT NULL CHECK (auth IN ('inherit','none','environment','stored')),
  credential_env TEXT,
  token_cipher BLOB,
  models TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (gateway_id, sdk),
  CHECK ((auth = 'environment' AND credential_env IS NOT NULL) OR (auth <> 'environment' AND credential_env IS NULL)),
  CHECK (auth <> 'none' OR base_url IS NOT NULL),
  CHECK (auth <> 'stored' OR base_url IS NOT NULL)
);
CREATE TABLE IF NOT EXISTS gateway_provider (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  label TEXT NOT NULL,
  base_url TEXT,
  key_cipher BLOB,
  listed_at TEXT,
  created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS gateway_model (
  provider_id TEXT NOT NULL REFERENCES gateway_provider(id) ON DELETE CASCADE,
  model TEXT NOT NULL,
  alias TEXT NOT NULL,
  max_input INTEGER,
  max_output INTEGER,
  tools INTEGER,
  PRIMARY KEY (provider_id, model)
);
CREATE TABLE IF NOT EXISTS thread_session (
  thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  sdk TEXT NOT NULL,
  gateway_id TEXT NOT NULL REFERENCES agent_gateway(id) ON DELETE CASCADE,
  base_url TEXT,
  session_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (thread_id, sdk, gateway_id)
);
CREATE TABLE IF NOT EXISTS thread_ref (
  thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  ref_thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  PRIMARY KEY (thread_id, ref_thread_id)
);
CREATE TABLE IF NOT EXISTS apply_run (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('pending','applied','rejected','failed')),
  diff TEXT,
  files_json TEXT,
  created_at TEXT NOT NULL,
  completed_at TEXT
);
CREATE TABLE IF NOT EXISTS workspace_rule (
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('exclude','include')),
  created_at TEXT NOT NULL,
  PRIMARY KEY (root, path)
);
CREATE TABLE IF NOT EXISTS setting (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS message_fts USING fts5(content, content='message', content_rowid='rowid');
CREATE TRIGGER IF NOT EXISTS message_fts_ai AFTER INSERT ON message BEGIN
  INSERT INTO message_fts(rowid, content) VALUES (new.rowid, new.content);
END;
CREATE TRIGGER IF NOT EXISTS message_fts_ad AFTER DELETE ON message BEGIN
  INSERT INTO message_fts(message_fts, rowid, content) VALUES ('delete', old.rowid, old.content);
END;
CREATE TRIGGER IF NOT EXISTS message_fts_au AFTER UPDATE ON message BEGIN
  INSERT INTO message_fts(message_fts, rowid, content) VALUES ('delete', old.rowid, old.content);
  INSERT INTO message_fts(rowid, content) VALUES (new.rowid, new.content);
END;
