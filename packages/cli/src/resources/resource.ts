import type { CallOptions, Client } from '@reticle/sdk'
import type { Command } from 'commander'
import { Failure, usageFailure } from '../failures/failure.ts'
import { toFailure } from '../failures/to-failure.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'
import { promptConfirmation } from '../terminal/prompts.ts'
import type { TableColumn } from '../terminal/table.ts'
import {
  addFields,
  type BodyField,
  type BodyFields,
  bodyOf,
  type CommandOptions,
} from './fields.ts'

/** Query of a list, apart from the filters of the resource. */
export interface ResourceListQuery {
  search?: string
  sort?: string
  filter?: string
  page_size?: number
}

/** A kind of object of the API, and the source of its commands. */
export interface ResourceDefinition<Row extends object, Create, Patch, Id = number> {
  /** Name of its command group. */
  word: string
  /** Name with article: `a project`. */
  one: string
  columns: readonly TableColumn<Row>[]
  id(text: string): Id
  list?: {
    each(
      client: Client,
      query: ResourceListQuery & Record<string, unknown>,
      options: CallOptions,
    ): AsyncIterable<Row>
    /** Filters of this resource. */
    filters: readonly BodyField[]
  }
  get?(client: Client, id: Id, options: CallOptions): Promise<Row>
  create?: {
    fields: BodyFields<Create>
    call(client: Client, body: Create, options: CallOptions): Promise<object>
    example: string
  }
  update?: {
    fields: BodyFields<Patch>
    call(client: Client, id: Id, body: Patch, options: CallOptions): Promise<Row>
    example: string
  }
  remove?(client: Client, id: Id, options: CallOptions): Promise<void>
  /** Whether the calls require a password instead of an access token. */
  byPassword?: boolean
}

/** Parses a numeric id. @throws Failure */
export function numberId(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw usageFailure(`"${text}" is no id: ids are numbers from 1`)
  return Number(text)
}

/** Adds the commands `list`, `show`, `create`, `update` and `delete` that the resource supports. */
export function addResource<Row extends object, Create, Patch, Id>(
  group: Command,
  context: CliContext,
  resource: ResourceDefinition<Row, Create, Patch, Id>,
): void {
  if (resource.list) addList(group, context, resource, resource.list)
  if (resource.get) addShow(group, context, resource, resource.get)
  if (resource.create) addCreate(group, context, resource, resource.create)
  if (resource.update) addUpdate(group, context, resource, resource.update)
  if (resource.remove) addDelete(group, context, resource, resource.remove)
}

/** Adds a group of commands: `reticle project ...`. */
export const addGroup = (program: Command, word: string, description: string): Command =>
  program.command(word).summary(description).description(`${description}.`)

type Any<Row extends object, Create, Patch, Id> = ResourceDefinition<Row, Create, Patch, Id>

const clientFor = (
  session: CommandSession,
  { byPassword }: { byPassword?: boolean },
  options: CommandOptions,
) =>
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
  context: CliContext,
  resource: Any<Row, Create, Patch, Id>,
  list: NonNullable<Any<Row, Create, Patch, Id>['list']>,
): void {
  const { word, columns } = resource
  const command = group
    .command('list')
    .alias('ls')
    .summary(`List each ${word}`)
    .description(`Lists each ${word} that you may see, as a table or as a JSON array.`)
    .option('--search <text>', 'only records with a field that contains the text')
    .option('--sort <fields>', 'fields to sort by; `-` before a field reverses its order')
    .option('--filter <json>', 'only objects that match a condition in JSON Logic')
    .option('--limit <count>', `maximum number of records (${usualLimit})`)
    .option('--all', 'all records')
  addFields(command, list.filters)
  command.action(async (options: CommandOptions, self: Command) => {
    const session = openSession(self, context)
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
  addExamples(command, [
    [`reticle ${word} list`, `the first ${usualLimit}`],
    [`reticle ${word} list --all --json`, 'every one, for a script'],
  ])
}

function limitOf({ all, limit = usualLimit }: CommandOptions): number {
  if (all) return Number.POSITIVE_INFINITY
  const count = Number(limit)
  if (!Number.isInteger(count) || count < 1)
    throw usageFailure(`--limit: "${limit}" is no number from 1`)
  return count
}

function queryOf({ search, sort, filter }: CommandOptions): ResourceListQuery {
  return {
    ...(typeof search === 'string' && { search }),
    ...(typeof sort === 'string' && { sort }),
    ...(typeof filter === 'string' && { filter }),
  }
}

function addShow<Row extends object, Create, Patch, Id>(
  group: Command,
  context: CliContext,
  { word, one, id }: Any<Row, Create, Patch, Id>,
  get: NonNullable<Any<Row, Create, Patch, Id>['get']>,
): void {
  const command = group
    .command('show')
    .summary(`Show ${one}`)
    .description(`Shows ${one} with all its fields.`)
    .argument('<id>', 'which')
    .action(async (given: string, _: CommandOptions, self: Command) => {
      const session = openSession(self, context)
      const client = await session.client()
      session.output.record(await get(client, id(given), { signal: session.signal }))
    })
  addExamples(command, [[`reticle ${word} show 12 --json`, 'the whole record']])
}

function addCreate<Row extends object, Create, Patch, Id>(
  group: Command,
  context: CliContext,
  resource: Any<Row, Create, Patch, Id>,
  create: NonNullable<Any<Row, Create, Patch, Id>['create']>,
): void {
  const command = group.command('create').summary(`Create ${resource.one}`)
  command.description(`Creates ${resource.one} and shows it.`)
  const { fields } = create
  addFields(command, fields)
  addUsername(command, resource)
  const positional = fields.filter(({ flags }) => flags.startsWith('<'))
  command.action(async (...given: unknown[]) => {
    const options = command.opts<CommandOptions>()
    const session = openSession(command, context)
    const named = Object.fromEntries(
      positional.map(({ key }, index) => [key, String(given[index])]),
    )
    const body = await bodyOf(fields, options, session, named)
    const client = await clientFor(session, resource, options)
    session.output.record(await create.call(client, body, { signal: session.signal }))
  })
  addExamples(command, [[create.example, 'shows the new record']])
}

function addUpdate<Row extends object, Create, Patch, Id>(
  group: Command,
  context: CliContext,
  resource: Any<Row, Create, Patch, Id>,
  update: NonNullable<Any<Row, Create, Patch, Id>['update']>,
): void {
  const command = group
    .command('update')
    .summary(`Change ${resource.one}`)
    .description(`Changes fields of ${resource.one} by options, and shows it.`)
    .argument('<id>', 'which')
  addFields(command, update.fields)
  addUsername(command, resource)
  command.action(async (given: string, options: CommandOptions, self: Command) => {
    const session = openSession(self, context)
    const body = await bodyOf(update.fields, options, session)
    if (Object.keys(Object(body)).length === 0)
      throw usageFailure('Nothing is to be changed', 'Name a field; --help lists them.')
    const client = await clientFor(session, resource, options)
    const changed = await update.call(client, resource.id(given), body, { signal: session.signal })
    session.output.record(changed)
  })
  addExamples(command, [[update.example, 'changes only these fields']])
}

function addDelete<Row extends object, Create, Patch, Id>(
  group: Command,
  context: CliContext,
  resource: Any<Row, Create, Patch, Id>,
  remove: NonNullable<Any<Row, Create, Patch, Id>['remove']>,
): void {
  const { word, one } = resource
  const command = group
    .command('delete')
    .alias('rm')
    .summary(`Delete ${one}`)
    .description(
      `Deletes ${one}, or several, with everything that belongs to it. This cannot be undone.`,
    )
    .argument('<ids...>', 'which')
    .option('--yes', 'do not ask for confirmation')
  addUsername(command, resource)
  command.action(async (given: string[], options: CommandOptions, self: Command) => {
    const session = openSession(self, context)
    const ids = given.map((text) => ({ text, id: resource.id(text) }))
    await assertConfirmed(session, options, `Delete ${word} ${given.join(', ')}?`)
    const client = await clientFor(session, resource, options)
    const deleted: Id[] = []
    let missing: Failure | undefined
    for (const { text, id } of ids)
      try {
        await remove(client, id, { signal: session.signal })
        deleted.push(id)
        session.output.note(`${word} ${text} is deleted.`)
      } catch (thrown) {
        missing = missingFailure(thrown, session)
        session.output.warn(`${word} ${text}: ${missing.message}`)
      }
    if (session.output.isJson) session.output.result('', { deleted })
    if (missing) throw missing
  })
  addExamples(command, [[`reticle ${word} delete 12 13 --yes`, 'both of them']])
}

/** An object that is already deleted does not stop the deletion of the others. */
function missingFailure(thrown: unknown, { signal }: CommandSession): Failure {
  const failure = toFailure(thrown, signal)
  if (failure.ending !== 'missing') throw failure
  return failure
}

/** @throws Failure unless the user confirms */
async function assertConfirmed(
  { context }: CommandSession,
  { yes }: CommandOptions,
  question: string,
): Promise<void> {
  if (yes || (await promptConfirmation(context, question))) return
  throw new Failure('Nothing was deleted', {
    ending: 'usage',
    code: 'not_confirmed',
    hint: context.stdin.isTTY ? undefined : 'Add --yes to delete without a terminal.',
  })
}

/** Creates a filter by one of several values. */
export const choiceFilter = (
  key: string,
  choices: readonly string[],
  description: string,
): BodyField => ({
  key,
  flags: `--${key.replaceAll('_', '-')} <${key.split('_')[0]}>`,
  description,
  choices,
})
