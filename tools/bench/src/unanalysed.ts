import type pg from 'pg'

/** Turns autovacuum off for the tables of annotations, so that the planner knows only their size. */
export async function stopAnalysing(database: Pick<pg.Client, 'query'>): Promise<void> {
  await database.query(`do $$ declare part text; begin
    for part in select relname from pg_class
      where relkind = 'r' and relnamespace = 'annotations'::regnamespace
    loop execute format('alter table annotations.%I set (autovacuum_enabled = off)', part); end loop;
  end $$`)
}
