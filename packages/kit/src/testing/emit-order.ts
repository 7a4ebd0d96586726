import { type Kysely, sql } from 'kysely'

/**
 * Adds a trigger that rejects an event emitted before its row was locked: only under that lock do events of one key
 * leave in the order of their commits. `tables` maps each kind of key (`thing` of `thing:12`) to the table whose rows
 * are locked. The trigger looks for a lock of the emitting backend; an insert or update of the table counts as well.
 */
export async function checkEmitOrder<T>(
  db: Kysely<T>,
  tables: Readonly<Record<string, string>>,
): Promise<void> {
  await sql`
    create or replace function check_emit_order() returns trigger language plpgsql as $check$
    declare
      kind text := split_part(new.key, ':', 1);
      wanted text := ${sql.lit(JSON.stringify(tables))}::jsonb ->> kind;
    begin
      if wanted is null then
        raise 'event % has the key %, whose kind no table is named for', new.type, new.key;
      end if;
      perform from pg_locks
        where pid = pg_backend_pid() and locktype = 'relation' and relation = wanted::regclass
          and mode in ('RowShareLock', 'RowExclusiveLock');
      if not found then
        raise 'event % was emitted before its row of % was locked: select ... for update first', new.type, wanted;
      end if;
      return new;
    end $check$`.execute(db)
  await sql`
    create or replace trigger outbox_check_emit_order before insert on outbox
    for each row execute function check_emit_order()`.execute(db)
}
