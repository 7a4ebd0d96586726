import { type Kysely, sql } from 'kysely'

const slice = 5000

/**
 * Moves events published to a broker since that time back to the outbox, with their order
 * and ids, so that a group that has handled them drops them. Events of the embedded bus
 * are not kept here; a group reads its log again (`Bus.replay`).
 * @returns the number of events that will be published again
 */
export async function republishSent<T>(db: Kysely<T>, { since }: { since: Date }): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
  let total = 0
  for (let moved = slice; moved === slice; total += moved) {
    const { numAffectedRows } = await sql`
      with again as (
        delete from outbox_sent where id in (
          select id from outbox_sent where sent_date >= ${since} and sent_date < ${rows[0]?.now}
          order by id limit ${slice} for update skip locked
        ) returning *
      )
      insert into outbox (event_id, topic, key, type, version, headers, data, created_date)
      select event_id, topic, key, type, version, headers, data, created_date
      from again order by id`.execute(db)
    moved = Number(numAffectedRows)
  }
  return total
}
