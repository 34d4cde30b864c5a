-- An outcome says which of its calls another one paid for. Here: all but the first that ended with a call.

create temp table links as
select
  outcomes.item, each.key as place, each.value as link,
  row_number() over (
    partition by json_extract(each.value, '$.call') order by finished_at, outcomes.rowid, each.key
  ) > 1 and json_extract(each.value, '$.call') in (select key from calls) as cached
from outcomes, json_each(case when json_valid(outcomes.calls) then outcomes.calls else '[]' end) each;
create index temp.links_by_item on links (item, place);
update outcomes set calls = (
  select json_group_array(json(case when cached then json_set(link, '$.cached', json('true')) else link end))
  from (select link, cached from links where links.item = outcomes.item order by place)
) where item in (select item from links where cached);
drop table temp.links;

-- A verdict that is no choice: a choice may well be called undecided.
update outcomes set verdict = '(undecided)' where verdict = 'undecided' and kind <> 'answer';
