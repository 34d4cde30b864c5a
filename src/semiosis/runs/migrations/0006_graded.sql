-- The value with each vote as sure as it is, where an outcome is made of votes. Votes did not say before.

alter table outcomes add column graded real;
update outcomes set graded = value where kind = 'judgment';
