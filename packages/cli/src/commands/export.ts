import type { Client, RqId } from '@reticle/sdk'
import { Argument, type Command, Option } from 'commander'
import type { CommandOptions } from '../resources/fields.ts'
import { numberId } from '../resources/resource.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { addExamples } from '../terminal/examples.ts'
import { openJournal } from '../transfers/journal.ts'
import { runRequest } from '../transfers/requests.ts'
import { assertFree, fetchResult } from '../transfers/result-file.ts'
import { bucketOptions, printReport, resumed, toFileLocation } from './transfer-options.ts'

/** Commands that write a file: exports of datasets, backups and the event log. */

interface OutOptions extends CommandOptions {
  output?: string
  force?: boolean
  cloudStorage?: string
  key?: string
}

const outOptions = (command: Command) =>
  bucketOptions(command, 'put the file into this bucket instead of here')
    .addOption(
      new Option(
        '-o, --output <file>',
        'output file; by default the name that the server chooses',
      ).conflicts('cloudStorage'),
    )
    .option('--force', 'replace an existing file')

export function addExport(program: Command, context: CliContext): void {
  const command = program
    .command('export')
    .summary('Export annotations, with or without images')
    .description(`Exports a project, task or job in a format, and downloads the file. ${resumed}`)
    .addArgument(new Argument('<kind>', 'kind of object').choices(['project', 'task', 'job']))
    .argument('<id>', 'which')
    .requiredOption('--format <format>', 'in which format (see `reticle formats --side export`)')
    .option('--images', 'include the images')
    .option('--frames <frames>', 'only these frames, like 0-99,120')
    .option('--only-annotated', 'only frames with annotations')
    .option('--min-score <score>', 'only objects with at least this score')
  outOptions(command).action(
    async (kind: string, id: string, options: OutOptions, self: Command) => {
      const input = {
        id: numberId(id),
        format: String(options.format),
        save_images: options.images === true,
        ...toFileLocation(options),
        ...(options.frames !== undefined && { frames: String(options.frames) }),
        ...(options.onlyAnnotated === true && { only_annotated: true }),
        ...(options.minScore !== undefined && { min_score: Number(options.minScore) }),
      }
      const start = (client: Client): Promise<RqId> => {
        if (kind === 'project') return client.exportProjectDataset(input)
        return kind === 'task' ? client.exportTaskDataset(input) : client.exportJobDataset(input)
      }
      await exportToFile(
        { commandKey: ['export', kind, input], start, options },
        openSession(self, context),
      )
    },
  )
  addExamples(command, [
    ['reticle export task 12 --format "COCO 1.0" --images', 'a dataset with images'],
    ['reticle export project 7 --format "YOLO 1.1" -o yolo.zip', 'annotations only, under a name'],
    [
      'reticle export job 31 --format "Service 1.1" --cloud-storage 9 --key job.zip',
      'into a bucket',
    ],
  ])
}

export function addBackup(program: Command, context: CliContext): void {
  const command = program
    .command('backup')
    .summary('Back up a project or task')
    .description(
      `Backs up a project or task with its media to an archive, and downloads it. ${resumed}`,
    )
    .addArgument(new Argument('<kind>', 'kind of object').choices(['project', 'task']))
    .argument('<id>', 'which')
    .option('--with-cloud-media', 'include media in cloud storages')
  outOptions(command).action(
    async (kind: string, id: string, options: OutOptions, self: Command) => {
      const lightweight = options.withCloudMedia !== true
      const input = { id: numberId(id), lightweight, ...toFileLocation(options) }
      const start = (client: Client): Promise<RqId> =>
        kind === 'project' ? client.exportProjectBackup(input) : client.exportTaskBackup(input)
      await exportToFile(
        { commandKey: ['backup', kind, input], start, options },
        openSession(self, context),
      )
    },
  )
  addExamples(command, [
    ['reticle backup project 7 -o streets.zip', 'restore it with `reticle restore project`'],
    ['reticle backup task 12 --cloud-storage 9 --key task12.zip', 'into a bucket'],
  ])
}

const narrowed = ['project', 'task', 'job', 'user'] as const

export function addEvents(program: Command, context: CliContext): void {
  const command = program
    .command('events')
    .summary('Download the event log')
    .description(
      'Exports the event log as CSV, and downloads it: all events for administrators, those of an organization (--organization) for ' +
        `its owner and maintainers, and their own events for other users. ${resumed}`,
    )
  for (const one of narrowed)
    command.option(
      `--${one} <id>`,
      one === 'user' ? 'only what they did' : `only what was done with this ${one}`,
    )
  command
    .option('--from <date>', 'first day or time, like 2026-03-01')
    .option('--to <date>', 'last day or time')
  outOptions(command).action(async (options: OutOptions, self: Command) => {
    const given = narrowed.filter((one) => options[one] !== undefined)
    const input = {
      ...Object.fromEntries(given.map((one) => [`${one}_id`, numberId(String(options[one]))])),
      ...(options.from !== undefined && { from: String(options.from) }),
      ...(options.to !== undefined && { to: String(options.to) }),
      ...toFileLocation(options),
    }
    const start = (client: Client) => client.exportEvents(input)
    await exportToFile(
      { commandKey: ['events', input], start, options },
      openSession(self, context),
    )
  })
  addExamples(command, [
    ['reticle events --job 31 -o events.csv', 'changes of a job'],
    ['reticle events --organization acme --from 2026-03-01', 'of an organization'],
  ])
}

interface FileExport {
  commandKey: unknown[]
  start: (client: Client) => Promise<RqId>
  options: OutOptions
}

async function exportToFile(
  { commandKey, start, options }: FileExport,
  session: CommandSession,
): Promise<void> {
  const { output, context } = session
  const { output: path, force = false, cloudStorage } = options
  session.progress.step('Writing')
  await assertFree(path, force)
  const client = await session.client()
  const { url } = await session.target()
  const journal = openJournal(context.env.cacheDir, 'out', [url, commandKey, path])
  const work = { client, journal, title: 'Writing', isSame: true, start: () => start(client) }
  const request = await runRequest(session, work)
  printReport(request, session)
  if (cloudStorage !== undefined) {
    await journal.forget()
    output.result('The file is in the bucket.', { rq_id: request.id, report: request.report })
    return
  }
  const file = await fetchResult(session, { client, request, output: path, force })
  await journal.forget()
  output.result(file.path, {
    file: file.path,
    bytes: file.bytes,
    rq_id: request.id,
    report: request.report,
  })
}
