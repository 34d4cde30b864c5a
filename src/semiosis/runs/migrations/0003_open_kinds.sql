-- Columns that every kind of outcome has; what is a kind's own stays in its record.

create table outcomes_of_any_kind (
  item        text primary key references items (key),
  kind        text not null,
  verdict     text,                   -- a side, a choice or 'undecided'; null where the kind has none
  value       real,
  certainty   real,                   -- 0 to 1, where the method says how sure it is
  flipped     integer,
  unverified  integer not null,
  failures    integer not null,       -- what failed inside it; 1 where all of it did
  reason      text,                   -- kind of failure; null where it did not fail as a whole
  label       text,
  labels_by   text not null,          -- people | makers | unknown
  agrees      integer,                -- whether verdict and label are the same, where that can be told
  finished_at text not null,
  calls       text not null,          -- JSON: the calls it was made from, in order
  record      text not null           -- JSON
);
insert into outcomes_of_any_kind
select
  item, kind,
  case kind when 'judgment' then ifnull(winner, 'undecided') when 'answer' then choice end,
  case kind when 'judgment' then preference when 'score' then value end,
  null, flipped, ifnull(unverified, 0),
  case
    when kind = 'failure' then 1
    when json_valid(record) then ifnull(json_array_length(record, '$.failures'), 0)
    else 0
  end,
  reason, label, labels_by,
  case
    when kind = 'judgment' and label in ('a', 'b') then ifnull(winner, '') = label
    when kind = 'answer' and label is not null then choice = label
  end,
  finished_at, calls, record
from outcomes;
drop table outcomes;
alter table outcomes_of_any_kind rename to outcomes;
create index outcomes_summary on outcomes
  (kind, reason, verdict, labels_by, agrees, flipped, unverified, value);
create index outcomes_compared on outcomes
  (item, kind, verdict, reason, flipped, value, label, labels_by, agrees);

alter table items add column generators text;         -- JSON: who made the pictures, by the verdict for them
update items set generators = json_object('a', json_extract(labels, '$.model_a'), 'b', json_extract(labels, '$.model_b'))
where json_valid(labels) and json_extract(labels, '$.model_a') is not null and json_extract(labels, '$.model_b') is not null;

-- What the items were read from, and the benchmark they are of: none for a file of one's own.
alter table run rename column benchmark to source;
alter table run add column benchmark text not null default '';
update run set benchmark = source where source in (
  'samples', 'samples/questions', 'stylebench', 'stylebench/instance', 'stylebench/paper', 'stylebench/paper-instance'
);
