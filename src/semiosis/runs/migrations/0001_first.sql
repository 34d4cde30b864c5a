-- One run. Small columns come first, so that a scan does not read the long texts behind them.

create table run (
  name            text not null,
  benchmark       text not null,
  method          text not null,
  method_version  text not null,
  package_version text not null,
  configuration   text not null,     -- JSON: the method's settings and models
  created_at      text not null
);

-- One row each time the run was started or resumed.
create table sessions (
  id         integer primary key,
  started_at text not null,
  ended_at   text,
  ended      text,                    -- done | stopped | budget | ... ; null while it runs or when it was killed
  items      integer                  -- how many items the benchmark held then
);

create table items (
  key      text primary key,          -- hash of id and content
  position integer not null,
  id       text not null,
  kind     text not null,             -- pair | rating | question
  labels   text not null,             -- JSON
  item     text not null              -- JSON; pictures by hash, in the folder beside this file
);
create index items_by_position on items (position);
create index items_by_id on items (id);

-- Every reply, as it arrived. `useless` ones could not be read; `retired` ones were asked again since.
create table calls (
  id            integer primary key,
  key           text not null,        -- hash of everything that decides the reply
  task          text not null,
  model         text not null,
  useless       integer not null default 0,
  retired       integer not null default 0,
  input_tokens  integer,
  output_tokens integer,
  cost_usd      real,
  charged_usd   real,                 -- what a budget counted for it
  attempts      integer not null,
  latency_s     real not null,
  started_at    text not null,
  subject       text not null,        -- JSON
  pictures      text not null,        -- JSON: what was sent for each
  reply         text not null,        -- JSON: text, finish, served model, fingerprint, parameters, log-probabilities
  sent          text not null         -- JSON: the messages
);
create unique index calls_by_key on calls (key) where not retired;
create index calls_retired on calls (key) where retired;
create index calls_account on calls (task, model, useless, input_tokens, output_tokens, cost_usd, attempts);

-- Calls that ended without a reply.
create table errors (
  id      integer primary key,
  key     text not null,
  task    text not null,
  model   text not null,
  kind    text not null,
  charged_usd real,                   -- what a budget counted for it
  message text not null,
  at      text not null
);

create table outcomes (
  item        text primary key references items (key),
  kind        text not null,          -- judgment | score | answer | failure
  winner      text,                   -- a | b; null where undecided
  preference  real,
  flipped     integer,
  unverified  integer,
  value       real,
  choice      text,
  reason      text,                   -- kind of failure
  label       text,                   -- what people said, where they did
  finished_at text not null,
  calls       text not null,          -- JSON: the calls it was made from, in order
  record      text not null           -- JSON
);
create index outcomes_summary on outcomes
  (kind, reason, winner, label, flipped, unverified, preference, value, choice);
create index outcomes_compared on outcomes (item, kind, winner, choice, flipped, value, label);

create table bad_rows (
  place  text not null,
  reason text not null,
  primary key (place, reason)
) without rowid;

-- Requests handed to a provider as one batch, until its replies are collected.
create table batches (
  label        text primary key,
  model        text not null,
  batch        text,                  -- the provider's id; null until it has said one
  submitted_at text not null,
  collected_at text
) without rowid;
create table batch_calls (
  label text not null references batches (label),
  key   text not null,
  primary key (label, key)
) without rowid;
