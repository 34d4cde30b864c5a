create index if not exists outcomes_by_certainty on outcomes (kind, certainty, agrees, flipped) where certainty is not null;
