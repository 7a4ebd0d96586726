import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type OpsCommand, textOf, UsageError } from './command-line.ts'
import { forEach, type OpsServices } from './target.ts'

/** Returns the name of the lock that the leading relay of a schema holds (`outbox/relay.ts`). */
const keyOf = (schema: string) => `${schema}.outbox`

/**
 * Takes the lock of the leading relay and holds it: events stay in the outbox, and everything else continues. Relays
 * resume by themselves when the lock is released or this process exits.
 * @returns a function that releases the lock
 * @throws Error if the role may not terminate the session of the leading relay
 */
export async function pauseRelay(url: string, schema: string): Promise<() => Promise<void>> {
  const holder = await connect(url)
  const other = await connect(url)
  try {
    let isHeld = false
    const held = holder
      .query('select pg_advisory_lock(hashtext($1))', [keyOf(schema)])
      .then(() => (isHeld = true))
    held.catch(() => undefined) // the attempt may be given up
    // Queued for the lock, this session gets it once its holder is terminated.
    while (!isHeld) {
      await other.query(endLeader, [keyOf(schema)])
      await Promise.race([held, sleep(50)])
    }
    return () => holder.end()
  } catch (thrown) {
    holder.end().catch(() => undefined)
    throw thrown
  } finally {
    await other.end()
  }
}

/** `hashtext` has 32 bits, and `pg_locks` shows a lock on it as the two halves of 64 bits. */
const endLeader = `
  select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and objid = (hashtext($1)::bigint & 4294967295)::oid
    and classid = ((hashtext($1)::bigint >> 32) & 4294967295)::oid`

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'ops pause' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Returns the command `pause-relay`, for a backup with tools of the database. */
export function pauseCommand(services: OpsServices): OpsCommand {
  return {
    name: 'pause-relay',
    summary: 'hold events back while the database is being dumped',
    usage: '[--service NAME] [--seconds 600]',
    about: `Events stay in the outbox for so long, or until Ctrl-C; everything else goes on. Use it around pg_dump, so that no
event is on its way while the dump is made. "backup" does it by itself.`,
    examples: ['pause-relay --seconds 60'],
    options: { service: { type: 'string' }, seconds: { type: 'string' } },
    run: async (given, say) => {
      const seconds = secondsOf(textOf(given, 'seconds') ?? '600')
      const resume: (() => Promise<void>)[] = []
      try {
        await forEach(
          services,
          textOf(given, 'service'),
          async ({ service, schema, url }) => {
            resume.push(await pauseRelay(url, schema))
            say(`${service}: paused`)
          },
          () => sleep(seconds * 1000),
        )
      } finally {
        for (const each of resume) await each()
      }
      say('events go on')
    },
  }
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw new UsageError(`--seconds: a number from 1 to 86400 is expected, not "${text}"`)
}
