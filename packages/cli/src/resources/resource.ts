import type { CallOptions, Client } from '@reticle/sdk'
import type { Command } from 'commander'
import { examples } from '../examples.ts'
import { explain } from '../explain.ts'
import { Failure, misused } from '../failure.ts'
import { openSession, type Session, type Surroundings } from '../session.ts'
import { confirm } from '../terminal/ask.ts'
import type { Column } from '../terminal/table.ts'
import { addFields, bodyOf, type Field, type Fields, type Options } from './fields.ts'

/** Query of a list, apart from the filters of the resource. */
export interface ListQuery {
  search?: string
  sort?: string
  filter?: string
  page_size?: number
}

/** A kind of object of the API, and the source of its commands. */
export interface Resource<Row extends object, Create, Patch, Id = number> {
  /** Name of its command group. */
  word: string
  /** Name with article: `a project`. */
  one: string
  columns: readonly Column<Row>[]
  id(text: string): Id
  list?: {
    each(
      client: Client,
      query: ListQuery & Record<string, unknown>,
      options: CallOptions,
    ): AsyncIterable<Row>
    /** Filters of this resource. */
    filters: readonly Field[]
  }
  get?(client: Client, id: Id, options: CallOptions): Promise<Row>
  create?: {
    fields: Fields<Create>
    call(client: Client, body: Create, options: CallOptions): Promise<object>
    example: string
  }
  update?: {
    fields: Fields<Patch>
    call(client: Client, id: Id, body: Patch, options: CallOptions): Promise<Row>
    example: string
  }
  remove?(client: Client, id: Id, options: CallOptions): Promise<void>
  /** Whether the calls require a password instead of an access token. */
  byPassword?: boolean
}

/** Parses a numeric id. @throws Failure */
export function numberId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw misused(`"${text}" is no id: ids are numbers from 1`)
  return Number(text)
}

/** Adds the commands `list`, `show`, `create`, `update` and `delete` that the resource supports. */
export function addResource<Row extends object, Create, Patch, Id>(
  group: Command,
  around: Surroundings,
  resource: Resource<Row, Create, Patch, Id>,
): void {
  if (resource.list) addList(group, around, resource, resource.list)
  if (resource.get) addShow(group, around, resource, resource.get)
  if (resource.create) addCreate(group, around, resource, resource.create)
  if (resource.update) addUpdate(group, around, resource, resource.update)
  if (resource.remove) addDelete(group, around, resource, resource.remove)
}

/** Adds a group of commands: `reticle project ...`. */
export const addGroup = (program: Command, word: string, about: string): Command =>
  program.command(word).summary(about).description(`${about}.`)

type Any<Row extends object, Create, Patch, Id> = Resource<Row, Create, Patch, Id>

const clientFor = (session: Session, { byPassword }: { byPassword?: boolean }, options: Options) =>
  byPassword && typeof options.username === 'string'
    ? session.clientAs(options.username)
    : session.client()

function addUsername(command: Command, { byPassword }: { byPassword?: boolean }): void {
  if (byPassword)
    command.option(
      '--username <name>',
      'Sign in by password, which is asked for: no token may do this',
    )
}

/** Default number of listed objects. */
const usualLimit = 50
/** Number of objects per page. */
const pageSize = 100

function addList<Row extends object, Create, Patch, Id>(
  group: Command,
  around: Surroundings,
  resource: Any<Row, Create, Patch, Id>,
  list: NonNullable<Any<Row, Create, Patch, Id>['list']>,
): void {
  const { word, columns } = resource
  const command = group
    .command('list')
    .alias('ls')
    .summary(`List each ${word}`)
    .description(`Lists each ${word} that you may see, as a table or as a JSON array.`)
    .option('--search <text>', 'only where a field holds the text')
    .option('--sort <fields>', 'by these fields, `-` before one turns it around')
    .option('--filter <json>', 'only what a condition in JSON Logic is true of')
    .option('--limit <count>', `at most so many (${usualLimit})`)
    .option('--all', 'however many there are')
  addFields(command, list.filters)
  command.action(async (options: Options, self: Command) => {
    const session = openSession(self, around)
    const client = await session.client()
    const filters = await bodyOf<Record<string, unknown>>(list.filters, options, session)
    const limit = limitOf(options)
    const query = { ...queryOf(options), ...filters, page_size: Math.min(limit + 1, pageSize) }
    const rows: Row[] = []
    let isMore = false
    for await (const row of list.each(client, query, { signal: session.signal })) {
      isMore = rows.length >= limit
      if (isMore) break
      rows.push(row)
    }
    session.output.table(rows, columns)
    if (rows.length === 0) session.output.note('There is none.')
    if (isMore) session.output.note(`There are more than ${limit}: see --limit and --all.`)
  })
  examples(command, [
    [`reticle ${word} list`, `the first ${usualLimit}`],
    [`reticle ${word} list --all --json`, 'every one, for a script'],
  ])
}

function limitOf({ all, limit = usualLimit }: Options): number {
  if (all) return Number.POSITIVE_INFINITY
  const count = Number(limit)
  if (!Number.isInteger(count) || count < 1)
    throw misused(`--limit: "${limit}" is no number from 1`)
  return count
}

function queryOf({ search, sort, filter }: Options): ListQuery {
  return {
    ...(typeof search === 'string' && { search }),
    ...(typeof sort === 'string' && { sort }),
    ...(typeof filter === 'string' && { filter }),
  }
}

function addShow<Row extends object, Create, Patch, Id>(
  group: Command,
  around: Surroundings,
  { word, one, id }: Any<Row, Create, Patch, Id>,
  get: NonNullable<Any<Row, Create, Patch, Id>['get']>,
): void {
  const command = group
    .command('show')
    .summary(`Show ${one}`)
    .description(`Shows ${one} with all that the service says of it.`)
    .argument('<id>', 'which')
    .action(async (given: string, _: Options, self: Command) => {
      const session = openSession(self, around)
      const client = await session.client()
      session.output.record(await get(client, id(given), { signal: session.signal }))
    })
  examples(command, [[`reticle ${word} show 12 --json`, 'the whole record']])
}

function addCreate<Row extends object, Create, Patch, Id>(
  group: Command,
  around: Surroundings,
  resource: Any<Row, Create, Patch, Id>,
  create: NonNullable<Any<Row, Create, Patch, Id>['create']>,
): void {
  const command = group.command('create').summary(`Create ${resource.one}`)
  command.description(`Creates ${resource.one} and shows it.`)
  const { fields } = create
  addFields(command, fields)
  addUsername(command, resource)
  const places = fields.filter(({ flags }) => flags.startsWith('<'))
  command.action(async (...given: unknown[]) => {
    const options = command.opts<Options>()
    const session = openSession(command, around)
    const named = Object.fromEntries(places.map(({ key }, index) => [key, String(given[index])]))
    const body = await bodyOf(fields, options, session, named)
    const client = await clientFor(session, resource, options)
    session.output.record(await create.call(client, body, { signal: session.signal }))
  })
  examples(command, [[create.example, 'and shows it']])
}

function addUpdate<Row extends object, Create, Patch, Id>(
  group: Command,
  around: Surroundings,
  resource: Any<Row, Create, Patch, Id>,
  update: NonNullable<Any<Row, Create, Patch, Id>['update']>,
): void {
  const command = group
    .command('update')
    .summary(`Change ${resource.one}`)
    .description(`Changes what the options name of ${resource.one}, and shows it.`)
    .argument('<id>', 'which')
  addFields(command, update.fields)
  addUsername(command, resource)
  command.action(async (given: string, options: Options, self: Command) => {
    const session = openSession(self, around)
    const body = await bodyOf(update.fields, options, session)
    if (Object.keys(Object(body)).length === 0)
      throw misused('Nothing is to be changed', 'Name a field; --help lists them.')
    const client = await clientFor(session, resource, options)
    const changed = await update.call(client, resource.id(given), body, { signal: session.signal })
    session.output.record(changed)
  })
  examples(command, [[update.example, 'everything else stays']])
}

function addDelete<Row extends object, Create, Patch, Id>(
  group: Command,
  around: Surroundings,
  resource: Any<Row, Create, Patch, Id>,
  remove: NonNullable<Any<Row, Create, Patch, Id>['remove']>,
): void {
  const { word, one } = resource
  const command = group
    .command('delete')
    .alias('rm')
    .summary(`Delete ${one}`)
    .description(
      `Deletes ${one}, or several: what hangs on it goes with it, and nothing brings it back.`,
    )
    .argument('<ids...>', 'which')
    .option('--yes', 'do not ask')
  addUsername(command, resource)
  command.action(async (given: string[], options: Options, self: Command) => {
    const session = openSession(self, around)
    const ids = given.map((text) => ({ text, id: resource.id(text) }))
    await assertMeant(session, options, `Delete ${word} ${given.join(', ')}?`)
    const client = await clientFor(session, resource, options)
    const deleted: Id[] = []
    let missing: Failure | undefined
    for (const { text, id } of ids)
      try {
        await remove(client, id, { signal: session.signal })
        deleted.push(id)
        session.output.note(`${word} ${text} is deleted.`)
      } catch (thrown) {
        missing = goneAlready(thrown, session)
        session.output.warn(`${word} ${text}: ${missing.message}`)
      }
    if (session.output.isJson) session.output.result('', { deleted })
    if (missing) throw missing
  })
  examples(command, [[`reticle ${word} delete 12 13 --yes`, 'both of them']])
}

/** An object that is already deleted does not stop the deletion of the others. */
function goneAlready(thrown: unknown, { signal }: Session): Failure {
  const failure = explain(thrown, signal)
  if (failure.ending !== 'missing') throw failure
  return failure
}

/** @throws Failure unless the user confirms */
async function assertMeant({ around }: Session, { yes }: Options, question: string): Promise<void> {
  if (yes || (await confirm(around, question))) return
  throw new Failure('Nothing was deleted', {
    ending: 'usage',
    code: 'not_confirmed',
    hint: around.stdin.isTTY ? undefined : 'Say --yes where nobody can be asked.',
  })
}

/** Creates a filter by one of several values. */
export const choice = (key: string, choices: readonly string[], about: string): Field => ({
  key,
  flags: `--${key.replaceAll('_', '-')} <${key.split('_')[0]}>`,
  about,
  choices,
})
