-- A fresh review store of generation 7.
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
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open','resolved')),
  anchor_json TEXT,
  extra_anchors_json TEXT,
  anchor_state TEXT CHECK (anchor_state IN ('ok','moved','orphaned')),
  note TEXT NOT NULL,
  title TEXT,
  group_id TEXT REFERENCES comment_group(id) ON DELETE SET NULL,
  is_note INTEGER NOT NULL DEFAULT 0,
  position INTEGER NOT NULL DEFAULT 0,
  stroke_json TEXT,
  session_id TEXT,
  profile TEXT NOT NULL DEFAULT 'read' CHECK (profile IN ('read','write')),
  model TEXT,
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
  PRIMARY KEY (thread_id, position)
);
CREATE INDEX IF NOT EXISTS idx_target_document ON thread_target(document_id);
CREATE TABLE IF NOT EXISTS message (
  id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES thread(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user','assistant','system')),
  kind TEXT NOT NULL,
  content TEXT,
  tool_name TEXT,
  tool_input_json TEXT,
  is_error INTEGER NOT NULL DEFAULT 0,
  cost_usd REAL,
  duration_ms INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS idx_message_seq ON message(thread_id, seq);
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
CREATE INDEX IF NOT EXISTS idx_thread_group ON thread(group_id, position);
