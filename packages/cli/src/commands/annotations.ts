import { createWriteStream, openAsBlob } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Client } from '@reticle/sdk'
import { Argument, type Command, Option } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import { numberId } from '../resources/resource.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'
import { formatBytes } from '../terminal/output.ts'
import { assertFree } from '../transfers/result-file.ts'

/** Adds the commands that read and write annotation sets as JSON, without a dataset format. */
export function addAnnotations(program: Command, context: CliContext): void {
  const group = program
    .command('annotations')
    .summary('Read and write annotations as JSON')
    .description(
      'Reads and writes the annotations of a task or job as JSON of the API, without a conversion.',
    )
  addGet(group, context)
  addPut(group, context)
}

const kindArgument = () => new Argument('<kind>', 'of what').choices(['task', 'job'])

interface GetOptions {
  output?: string
  force?: boolean
  frames?: string
  label?: string
  filter?: string
  interpolate?: boolean
}

function addGet(group: Command, context: CliContext): void {
  const command = group
    .command('get')
    .summary('Write annotations to a file or to standard output')
    .description('Writes the annotations of a task or job to a file or to standard output.')
    .addArgument(kindArgument())
    .argument('<id>', 'which')
    .option('-o, --output <file>', 'output file; by default standard output')
    .option('--force', 'replace an existing file')
    .option('--frames <frames>', 'only objects on these frames, like 0-99,120')
    .option('--label <ids>', 'only objects of these labels: comma-separated ids')
    .option('--filter <json>', 'only objects that match a condition in JSON Logic')
    .option('--interpolate', 'include interpolated positions of tracks on every frame')
    .action(async (kind: string, id: string, options: GetOptions, self: Command) =>
      getSet({ kind, id: numberId(id) }, options, openSession(self, context)),
    )
  addExamples(command, [
    ['reticle annotations get task 12 -o task12.json', 'all annotations'],
    ['reticle annotations get job 31 --frames 0-9 | jq ".shapes | length"', 'for another program'],
  ])
}

interface AnnotationSetId {
  kind: string
  id: number
}

async function getSet(
  { kind, id }: AnnotationSetId,
  options: GetOptions,
  session: CommandSession,
): Promise<void> {
  const { signal, progress, context, output } = session
  const { output: path, force = false, frames, label: label_id, filter, interpolate } = options
  await assertFree(path, force)
  const client = await session.client()
  const input = { id, frames, label_id, filter, interpolate }
  const name = kind === 'task' ? 'getTaskAnnotations' : 'getJobAnnotations'
  if (path !== undefined) progress.step('Reading annotations')
  const answer = await client.respond(name, input, { signal })
  let bytes = 0
  async function* pieces() {
    for await (const piece of answer.body ?? []) {
      bytes += piece.length
      if (path !== undefined) progress.update(0, formatBytes(bytes))
      yield piece
    }
  }
  if (path === undefined) {
    for await (const piece of pieces())
      if (!context.stdout.write(piece))
        await new Promise((next) => context.stdout.once('drain', next))
    context.stdout.write('\n')
    return
  }
  try {
    await pipeline(Readable.from(pieces()), createWriteStream(`${path}.part`), { signal })
    await rename(`${path}.part`, path)
  } catch (thrown) {
    await rm(`${path}.part`, { force: true })
    throw thrown
  } finally {
    progress.stop()
  }
  output.result(path, { file: path, bytes, etag: answer.headers.get('etag') })
}

interface PutOptions {
  mode: string
  ifMatch?: string
}

function addPut(group: Command, context: CliContext): void {
  const command = group
    .command('put')
    .summary('Store the annotations of a file')
    .description('Stores the annotations of a JSON file in a task or job.')
    .addArgument(kindArgument())
    .argument('<id>', 'which')
    .argument('<file>', 'JSON file')
    .addOption(
      new Option(
        '--mode <mode>',
        'instead of those that are there, as new ones, or as changes of those',
      )
        .choices(['replace', 'create', 'update', 'delete'])
        .default('replace'),
    )
    .option('--if-match <etag>', 'only if the annotations still have this entity tag')
    .action(async (kind: string, id: string, file: string, options: PutOptions, self: Command) =>
      putSet({ kind, id: numberId(id) }, file, options, openSession(self, context)),
    )
  addExamples(command, [
    ['reticle annotations put task 12 task12.json', 'replaces existing annotations'],
    ['reticle annotations put job 31 more.json --mode create', 'adds to existing annotations'],
  ])
}

async function putSet(
  set: AnnotationSetId,
  file: string,
  { mode, ifMatch }: PutOptions,
  session: CommandSession,
): Promise<void> {
  const { progress, output } = session
  const { size } = await stat(file)
  if (size === 0) throw usageFailure(`${file} is empty`, 'An empty set is {}.')
  progress.step(`Sending ${formatBytes(size)}`)
  try {
    const body = await openAsBlob(file)
    const client = await session.client()
    const answer = await storeSet(client, set, { mode, body, if_match: ifMatch }, session)
    // The response is the stored set, which may be large.
    for await (const _ of answer.body ?? []) progress.update(1)
    progress.stop()
    const etag = answer.headers.get('etag')
    output.result(`Stored in ${set.kind} ${set.id}.`, { ...set, mode, etag })
  } finally {
    progress.stop()
  }
}

interface AnnotationWrite {
  mode: string
  body: Blob
  if_match: string | undefined
}

function storeSet(
  client: Client,
  { kind, id }: AnnotationSetId,
  { mode, body, if_match }: AnnotationWrite,
  { signal }: CommandSession,
): Promise<Response> {
  const input = { id, body, if_match }
  const isTask = kind === 'task'
  if (mode === 'replace') {
    const name = isTask ? 'replaceTaskAnnotations' : 'replaceJobAnnotations'
    return client.respond(name, input, { signal })
  }
  const name = isTask ? 'updateTaskAnnotations' : 'updateJobAnnotations'
  return client.respond(name, { ...input, action: mode }, { signal })
}
