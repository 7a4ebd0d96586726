import type { CallOptions, Client, FileSource, Request, RqId, UploadOptions } from '@reticle/sdk'
import { fromPath } from '@reticle/sdk/node'
import { Argument, type Command, Option } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import type { CommandOptions } from '../resources/fields.ts'
import { numberId } from '../resources/resource.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { formatCounts } from '../terminal/counts.ts'
import { addExamples } from '../terminal/examples.ts'
import { formatLosses } from '../terminal/report.ts'
import { openJournal } from '../transfers/journal.ts'
import { runRequest } from '../transfers/requests.ts'
import { createUploadOptions } from '../transfers/upload-options.ts'
import { bucketOptions, printReport, resumed, toFileLocation } from './transfer-options.ts'

/** Commands that send a file: imports of annotations, datasets and backups. */

interface InOptions extends CommandOptions {
  cloudStorage?: string
  key?: string
}

export function addImport(program: Command, context: CliContext): void {
  const command = program
    .command('import')
    .summary('Import annotations, or a dataset with images')
    .description(
      `Imports annotations into a task or job, or a dataset with images into a project, where each subset becomes a task. ${resumed}`,
    )
    .addArgument(new Argument('<kind>', 'kind of object').choices(['project', 'task', 'job']))
    .argument('<id>', 'which')
    .argument('[file]', 'file to import; not with --cloud-storage')
    .requiredOption('--format <format>', 'in which format (see `reticle formats --side import`)')
    .addOption(
      new Option('--mode <mode>', 'what becomes of annotations that are there').choices([
        'replace',
        'append',
        'merge',
      ]),
    )
    .option('--keep-masks', 'keep masks')
    .option('--dry-run', 'write nothing, and report the result that an import would have')
  bucketOptions(command, 'read the file from this bucket').action(
    async (kind: string, id: string, file: string | undefined, options: InOptions, self: Command) =>
      importFile({ kind, id: numberId(id), file, options }, openSession(self, context)),
  )
  addExamples(command, [
    [
      'reticle import task 12 annotations.json --format "COCO 1.0"',
      'instead of those that are there',
    ],
    ['reticle import project 7 dataset.zip --format "YOLO 1.1"', 'a task for each subset'],
    [
      'reticle import job 31 boxes.zip --format "KITTI 1.0" --mode merge --dry-run',
      'only the report',
    ],
  ])
}

interface ImportCommand {
  kind: string
  id: number
  file: string | undefined
  options: InOptions
}

async function importFile(
  { kind, id, file, options }: ImportCommand,
  session: CommandSession,
): Promise<void> {
  const { format, mode, keepMasks, dryRun } = options
  const input = {
    id,
    format: String(format),
    ...toFileLocation(options),
    ...(mode !== undefined && { import_mode: String(mode) }),
    ...(keepMasks === true && { conv_mask_to_poly: false }),
    ...(dryRun === true && { dry_run: true }),
  }
  const collection = (client: Client): ImportOperation<typeof input> => {
    if (kind === 'project') return client.importProjectDataset
    return kind === 'task' ? client.importTaskAnnotations : client.importJobAnnotations
  }
  await importFromFile(
    { commandKey: ['import', kind, input], file, options, collection, input },
    session,
  )
}

export function addRestore(program: Command, context: CliContext): void {
  const command = program
    .command('restore')
    .summary('Restore a project or task from a backup')
    .description(`Restores a backup as a new project or task. ${resumed}`)
    .addArgument(new Argument('<kind>', 'kind of object').choices(['project', 'task']))
    .argument('[file]', 'backup file; not with --cloud-storage')
    .option('--dry-run', 'write nothing')
  bucketOptions(command, 'read the file from this bucket').action(
    async (kind: string, file: string | undefined, options: InOptions, self: Command) => {
      const input = {
        ...toFileLocation(options),
        ...(options.dryRun === true && { dry_run: true }),
      }
      const collection = (client: Client): ImportOperation<typeof input> =>
        kind === 'project' ? client.importProjectBackup : client.importTaskBackup
      await importFromFile(
        { commandKey: ['restore', kind, input], file, options, collection, input },
        openSession(self, context),
      )
    },
  )
  addExamples(command, [
    ['reticle restore project streets.zip', 'shows the id of the new project'],
    ['reticle restore task task12.zip --organization acme', 'into an organization'],
  ])
}

/** Operation that imports a sent file, or fetches it from a bucket. */
interface ImportOperation<Input> {
  (input: Input, options: CallOptions): Promise<RqId>
  send(input: Input, file: FileSource, options: UploadOptions): Promise<RqId>
}

interface FileImport<Input> {
  commandKey: unknown[]
  file: string | undefined
  options: InOptions
  collection: (client: Client) => ImportOperation<Input>
  input: Input
}

async function importFromFile<Input>(
  { commandKey, file, options, collection, input }: FileImport<Input>,
  session: CommandSession,
): Promise<void> {
  const { output, context } = session
  if ((file === undefined) === (options.cloudStorage === undefined))
    throw usageFailure('Name a file, or a bucket with --cloud-storage and --key')
  session.progress.step(file === undefined ? 'Importing' : 'Sending the file')
  const client = await session.client()
  const { url, organization } = await session.target()
  const source = file === undefined ? undefined : await fromPath(file)
  const mark = [url, organization, commandKey, source?.name, source?.size, source?.modified]
  const journal = openJournal(context.env.cacheDir, 'in', mark)
  const start = (idempotency_key: string) => {
    const into = collection(client)
    if (source === undefined) return into(input, { signal: session.signal, idempotency_key })
    return into.send(input, source, {
      ...createUploadOptions(session, 'Sending the file'),
      idempotency_key,
    })
  }
  const work = { client, journal, title: 'Importing', isSame: false, start }
  const request = await runRequest(session, work)
  await journal.forget()
  printReport(request, session)
  const text = createdText(request)
  output.result(options.dryRun === true ? `Nothing is written. It would be ${text}` : text, {
    rq_id: request.id,
    result_id: request.result_id,
    report: request.report,
  })
}

function createdText({ operation, result_id, report }: Request): string {
  const losses = formatLosses(report)
  if (result_id !== null)
    return `${operation.target} ${result_id} is created${losses && `; ${losses}`}.`
  const { shapes = 0, tracks = 0, tags = 0 } = report?.created ?? {}
  return formatCounts({ shapes, tracks, tags }) + (losses && `; ${losses}`)
}
