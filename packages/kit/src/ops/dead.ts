import { type DeadFilter, dropDead, listDead, replayDead, showDead } from '../outbox/dead.ts'
import { type CommandArguments, type OpsCommand, textOf, UsageError } from './command-line.ts'
import { forEach, type OpsServices, someService } from './target.ts'

const service = { service: { type: 'string' } } as const
const chosen = {
  ...service,
  consumer: { type: 'string' },
  all: { type: 'boolean' },
} as const

/**
 * Returns the commands `dead list
 * show
 * replay
 * drop` for events that could not be handled, in one service or in all.
 */
export function deadCommands(services: OpsServices): OpsCommand[] {
  return [list(services), show(services), replay(services), drop(services)]
}

const list = (services: OpsServices): OpsCommand => ({
  name: 'dead list',
  summary: 'events that a service could not handle',
  usage: '[--service NAME] [--consumer GROUP] [--limit 100]',
  about:
    'Newest first, without their contents: id, when it failed, group, type of key, and the error.',
  examples: ['dead list', `dead list --service ${someService(services)} --limit 10`],
  options: { ...service, consumer: { type: 'string' }, limit: { type: 'string' } },
  run: async (given, say) => {
    const filter = { consumer: textOf(given, 'consumer') }
    const limit = limitOf(given)
    await forEach(services, textOf(given, 'service'), async ({ service: label, db }) => {
      const events = await listDead(db, filter, limit)
      say(`${label}: ${events.length === limit ? `${limit} or more` : events.length} dead`)
      for (const { event_id, failed_date, consumer, key, error, replayed_date } of events) {
        const given = replayed_date ? ' (given back, not yet taken)' : ''
        say(`  ${event_id}  ${failed_date.toISOString()}  ${consumer}  ${key}  ${error}${given}`)
      }
    })
  },
})

const show = (services: OpsServices): OpsCommand => ({
  name: 'dead show',
  summary: 'one of them with its contents',
  usage: 'EVENT_ID [--service NAME]',
  about: 'Prints the event as JSON: where it came from, headers, value, and the whole error.',
  examples: ['dead show 0199f7a0-0000-7000-8000-000000000001'],
  options: service,
  run: async (given, say) => {
    const id = eventId(given)
    let found = 0
    await forEach(services, textOf(given, 'service'), async ({ service: label, db }) => {
      for (const event of await showDead(db, id)) {
        say(JSON.stringify({ service: label, ...event }, null, 2))
        found++
      }
    })
    if (found === 0) throw new Error(`no service has a dead event ${id}: see dead list`)
  },
})

const replay = (services: OpsServices): OpsCommand => ({
  name: 'dead replay',
  summary: 'give them back to the group that failed',
  usage: 'EVENT_ID | --all [--service NAME] [--consumer GROUP]',
  about: `For when the reason is gone: a new version, a repaired row. The group takes them within seconds, each has
its effect once, and one that fails again is dead again.`,
  examples: [
    'dead replay 0199f7a0-0000-7000-8000-000000000001',
    `dead replay --all --service ${someService(services)}`,
  ],
  options: chosen,
  run: async (given, say) => {
    const filter = filterOf(given)
    await forEach(services, textOf(given, 'service'), async ({ service: label, db }) => {
      say(`${label}: ${await replayDead(db, filter)} given back`)
    })
  },
})

const drop = (services: OpsServices): OpsCommand => ({
  name: 'dead drop',
  summary: 'give them up for good',
  usage: 'EVENT_ID | --all [--service NAME] [--consumer GROUP]',
  about: 'Their effect is lost: look at them first (dead show). Nothing brings them back.',
  examples: [
    'dead drop 0199f7a0-0000-7000-8000-000000000001',
    `dead drop --all --service ${someService(services)}`,
  ],
  options: chosen,
  run: async (given, say) => {
    const filter = filterOf(given)
    await forEach(services, textOf(given, 'service'), async ({ service: label, db }) => {
      say(`${label}: ${await dropDead(db, filter)} dropped`)
    })
  },
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function eventId({ words }: CommandArguments): string {
  const [id = '', ...more] = words
  if (more.length > 0) throw new UsageError(`one event id is expected, not ${words.length}`)
  if (!uuid.test(id)) throw new UsageError(`an event id is expected (a UUID), not "${id}"`)
  return id
}

/**
 * Parses the selection of events.
 * @throws UsageError without an event id or `--all`, so that all events are not dropped by mistake
 */
function filterOf(given: CommandArguments): DeadFilter {
  const consumer = textOf(given, 'consumer')
  if (given.options.all && given.words.length > 0)
    throw new UsageError('either one event id or --all, not both')
  if (given.options.all) return { consumer }
  if (given.words.length === 0) throw new UsageError('name an event id, or --all of them')
  return { consumer, event_id: eventId(given) }
}

function limitOf(given: CommandArguments): number {
  const text = textOf(given, 'limit') ?? '100'
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0 && limit <= 10_000) return limit
  throw new UsageError(`--limit: a number from 1 to 10000 is expected, not "${text}"`)
}
