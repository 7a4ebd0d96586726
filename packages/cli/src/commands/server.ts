import type { Format, Health } from '@reticle/sdk'
import { type Command, Option } from 'commander'
import { Failure } from '../failures/failure.ts'
import { createColumn } from '../resources/columns.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'
import { formatValue } from '../terminal/output.ts'

export function addServer(program: Command, context: CliContext): void {
  const group = program
    .command('server')
    .summary('Show information about the server')
    .description('Shows the version, capabilities, limits and health of the server.')
  const about = group
    .command('about')
    .summary('Show name, version and capabilities')
    .description('Shows name, version and capabilities of the server.')
    .action(async (_: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      const server = await client()
      const { name, version } = await server.getAbout({}, { signal })
      output.record({ name, version, ...(await server.getCapabilities({}, { signal })) })
    })
  addExamples(about, [['reticle server about --json', 'for a script']])
  const health = group
    .command('health')
    .summary('Show the health of the server')
    .description('Shows the health of each part of the server. Fails if a part does not work.')
    .action(async (_: object, self: Command) => showHealth(openSession(self, context)))
  addExamples(health, [['reticle server health', 'exit code 6 when a part fails']])
  const limits = group
    .command('limits')
    .summary('Show all limits')
    .description('Shows every effective limit by its name.')
    .action(async (_: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      output.record(await (await client()).getLimits({}, { signal }))
    })
  addExamples(limits, [['reticle server limits', 'one per line']])
  const share = group
    .command('share')
    .summary('List files of the share')
    .description('Lists files and folders of the share, from which tasks can be created.')
    .argument('[folder]', 'folder to list', '/')
    .action(async (directory: string, _: object, self: Command) => {
      const { client, output, signal } = openSession(self, context)
      output.table(await (await client()).listShare({ directory }, { signal }), [
        createColumn('NAME', ({ name, type }) => (type === 'DIR' ? `${name}/` : name)),
        createColumn('TYPE', ({ mime_type }) => mime_type),
      ])
    })
  addExamples(share, [['reticle server share /2026', 'of one folder']])
  addFormats(program, context)
}

async function showHealth({ client, output, signal }: CommandSession): Promise<void> {
  const server = await client()
  const answer = await server.respond('getHealth', {}, { signal, retries: 0 }).catch((thrown) => {
    // An unhealthy server responds 503 with the state of its parts in the body.
    if (thrown?.body && typeof thrown.body === 'object') return thrown
    throw thrown
  })
  const health: Health = answer instanceof Response ? await answer.json() : answer.body
  output.record(health, partsOf(health))
  const failing = partsOf(health).filter(([, state]) => state !== 'working')
  if (failing.length > 0)
    throw new Failure(`${failing.map(([name]) => name).join(', ')} failed`, {
      ending: 'unavailable',
      code: 'unhealthy',
    })
}

const partsOf = (health: Health) =>
  Object.entries(health).map(
    ([name, state]) =>
      [
        name,
        typeof state === 'string' ? state : `${state.status} ${formatValue(state.reason)}`,
      ] as const,
  )

function addFormats(program: Command, context: CliContext): void {
  const command = program
    .command('formats')
    .summary('List dataset formats')
    .description('Lists the formats of the server, or with --local those that `convert` supports.')
    .option('--local', 'formats of this program, without a server')
    .addOption(new Option('--side <side>', 'only that').choices(['import', 'export']))
    .action(async (options: { local?: boolean; side?: string }, self: Command) => {
      const session = openSession(self, context)
      const { importers, exporters } = options.local
        ? (await import('@reticle/formats/registry')).listFormats()
        : await (await session.client()).listFormats({}, { signal: session.signal })
      const rows = [
        ...(options.side === 'export' ? [] : importers.map((one) => ({ ...one, side: 'import' }))),
        ...(options.side === 'import' ? [] : exporters.map((one) => ({ ...one, side: 'export' }))),
      ]
      session.output.table<Format & { side: string }>(rows, [
        createColumn('FORMAT', ({ name }) => name),
        createColumn('SIDE', ({ side }) => side),
        createColumn('FILES', ({ ext }) => ext),
        createColumn('TRACKS', ({ tracks }) => (tracks ? 'yes' : '')),
        createColumn('ATTRIBUTES', ({ attributes }) => (attributes ? 'yes' : '')),
        createColumn('KINDS', ({ kinds }) => kinds.join(' ')),
      ])
    })
  addExamples(command, [
    ['reticle formats', 'of the server'],
    ['reticle formats --local --side import', 'what `convert` reads'],
  ])
}
