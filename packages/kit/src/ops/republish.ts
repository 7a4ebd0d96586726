import { readMoment, startOfDay } from '@reticle/contracts/rest/moments'
import { type Kysely, sql } from 'kysely'
import { type OpsCommand, textOf, UsageError } from './command-line.ts'
import { forEach, type OpsServices, someService } from './target.ts'

/** Returns the command `republish --since TIME`, which restores the content of a lost topic. */
export function republishCommand(services: OpsServices): OpsCommand {
  return {
    name: 'republish',
    summary: 'publish again what was published since a time',
    usage: '--since TIME [--service NAME]',
    about: `For a broker that lost events, and after the restore of a cluster. Every event of the last two days that was
published since TIME (ISO 8601, UTC without a zone) goes out again with the same id and in the same order; a group that had it drops it.
The embedded bus lives in the database itself and needs none of this: there 0 is the right answer.`,
    examples: [
      'republish --since 2026-03-01T12:00:00Z',
      `republish --since 2026-03-01 --service ${someService(services)}`,
    ],
    options: { service: { type: 'string' }, since: { type: 'string' } },
    run: async (given, say) => {
      const since = timeOf(textOf(given, 'since'))
      await forEach(services, textOf(given, 'service'), async ({ service, db }) => {
        say(`${service}: ${await republishSent(db, { since })} events go out again`)
      })
    },
  }
}

function timeOf(text: string | undefined): Date {
  if (text === undefined) throw new UsageError('--since: a time is needed: 2026-03-01T12:00:00Z')
  const time = readMoment(text, startOfDay)
  if (time !== undefined) return new Date(time)
  throw new UsageError(`--since: a time as 2026-03-01T12:00:00Z is expected, not "${text}"`)
}

/** Number of events that one statement moves. */
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
