-- Who gave a label, and which models a method asks.

alter table outcomes add column labels_by text not null default 'unknown';   -- people | makers | unknown
drop index outcomes_summary;
create index outcomes_summary on outcomes
  (kind, reason, winner, label, labels_by, flipped, unverified, preference, value, choice);
drop index outcomes_compared;
create index outcomes_compared on outcomes (item, kind, winner, choice, flipped, value, label, labels_by);

alter table run add column models text not null default '{}';                -- JSON: what each is asked for, by name
update run set models = (
  select json_group_object(key, value) from json_each(configuration)
  where key in ('builder', 'judge', 'backbone') and value is not null
);
-- "backbone at" is "backbone_at" now.
update run set configuration = replace(configuration, ' at":', '_at":');
