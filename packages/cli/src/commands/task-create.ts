import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type Client,
  type DataParameters,
  type FileSource,
  type Request,
  type Task,
  type TaskCreate,
} from '@reticle/sdk'
import { type Command, Option } from 'commander'
import { usageFailure } from '../failures/failure.ts'
import { addFields, type BodyFields, bodyOf, type CommandOptions } from '../resources/fields.ts'
import { labels, tracker } from '../resources/projects.ts'
import { numberId } from '../resources/resource.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { formatCount } from '../terminal/counts.ts'
import { addExamples } from '../terminal/examples.ts'
import { formatLosses, formatReport, joinSome } from '../terminal/report.ts'
import { filesMark, gatherFiles } from '../transfers/files.ts'
import { type Journal, openJournal } from '../transfers/journal.ts'
import { runRequest } from '../transfers/requests.ts'
import { createUploadOptions } from '../transfers/upload-options.ts'

const taskFields: BodyFields<TaskCreate> = [
  { key: 'name', flags: '<name>', description: 'name' },
  {
    key: 'project_id',
    flags: '--project <id>',
    description: 'project of the task, whose labels it uses',
    kind: 'number',
  },
  labels,
  { key: 'subset', flags: '--subset <name>', description: 'subset in exports' },
  {
    key: 'assignee_id',
    flags: '--assignee <user>',
    description: 'user name, id, or me',
    kind: 'user',
  },
  {
    key: 'segment_size',
    flags: '--segment-size <frames>',
    description: 'frames of each job',
    kind: 'number',
  },
  {
    key: 'overlap',
    flags: '--overlap <frames>',
    description: 'frames that consecutive jobs share',
    kind: 'number',
  },
  tracker,
]

const dataFields: BodyFields<DataParameters> = [
  {
    key: 'image_quality',
    flags: '--quality <percent>',
    description: 'quality of the displayed images, 1 to 100',
    kind: 'number',
  },
  {
    key: 'sorting_method',
    flags: '--sort <method>',
    description: 'order of the frames',
    choices: ['lexicographical', 'natural', 'predefined', 'random'],
  },
  {
    key: 'start_frame',
    flags: '--start-frame <number>',
    description: 'first frame to use',
    kind: 'number',
  },
  {
    key: 'stop_frame',
    flags: '--stop-frame <number>',
    description: 'last frame to use',
    kind: 'number',
  },
  {
    key: 'frame_filter',
    flags: '--frame-filter <filter>',
    description: 'step=N takes every N-th frame',
  },
  {
    key: 'chunk_size',
    flags: '--chunk-size <frames>',
    description: 'frames of each chunk',
    kind: 'number',
  },
  {
    key: 'filename_pattern',
    flags: '--pattern <glob>',
    description: 'with --cloud-storage: pattern of its files',
  },
  {
    key: 'server_files_exclude',
    flags: '--exclude <path>',
    description: 'files of the share or bucket to leave out',
    kind: 'list',
  },
  {
    key: 'copy_data',
    flags: '--copy-data <true|false>',
    description: 'with --share: copy the files',
    kind: 'flag',
  },
]

const description = `Creates a task and attaches its media: images (files or folders), an archive of images, a video or a PDF of this machine;
with --share paths of the file share, with --remote URLs, with --cloud-storage keys of a bucket.
After an interruption, run the same command again: it continues with the same task and uploads only missing data.`

export function addTaskCreate(group: Command, context: CliContext): void {
  const command = group
    .command('create')
    .summary('Create a task with its media')
    .description(description)
  addFields(command, taskFields)
  command
    .argument('[media...]', 'files, folders, paths, addresses or keys')
    .addOption(new Option('--share', 'the media is in the share of the server'))
    .addOption(new Option('--remote', 'the media is fetched by the server').conflicts('share'))
    .addOption(
      new Option('--cloud-storage <id>', 'the media is in this bucket').conflicts([
        'share',
        'remote',
      ]),
    )
    .option('--no-wait', 'do not wait for the frames')
  addFields(command, dataFields)
  command.action(async (name: string, media: string[], options: CommandOptions, self: Command) =>
    createTask({ name, media, options }, openSession(self, context)),
  )
  addExamples(command, [
    ['reticle task create "Batch 1" frames/ --label car --label bus', 'from a folder of images'],
    ['reticle task create Drive drive.mp4 --project 7 --frame-filter step=5', 'from a video'],
    ['reticle task create Shared 2026/march/ --share --project 7', 'from files of the share'],
    ['reticle task create Web https://example.org/a.jpg --remote --label car', 'from a URL'],
    ['reticle task create Bucket --cloud-storage 9 --pattern "*.jpg" --project 7', 'from a bucket'],
  ])
}

interface TaskCommand {
  name: string
  media: string[]
  options: CommandOptions
}

interface TaskInput {
  body: TaskCreate
  data: DataParameters
  files: FileSource[]
}

async function createTask(input: TaskCommand, session: CommandSession): Promise<void> {
  const { output, context, signal, progress } = session
  progress.step(input.media.length > 0 ? 'Looking at the media' : 'Creating the task')
  const taskInput = await readTaskInput(input, session)
  const client = await session.client()
  const { url, organization } = await session.target()
  const { body, data, files } = taskInput
  const commandKey = [url, organization, body, data, filesMark(files)]
  const journal = openJournal(context.env.cacheDir, 'task create', commandKey)
  const task = await taskOf(client, journal, body, session)
  const isWaited = input.options.wait !== false
  const attaching = { client, journal, task, taskInput, isWaited }
  const hasMedia = files.length > 0 || isElsewhere(data)
  const report = hasMedia ? await mediaReport(attaching, session) : null
  for (const line of formatReport(report, 'Media')) output.note(line)
  await journal.forget()
  const record = await client.getTask({ id: task.id }, { signal })
  showTask(record, report, session)
}

type Report = Request['report']

/** @param report report about files that were skipped or changed; with `--json` it is part of the record */
function showTask(record: Task, report: Report, { output }: CommandSession): void {
  const losses = formatLosses(report)
  output.record({ ...record, report }, [
    ['task', String(record.id)],
    ['name', record.name],
    ['frames', String(record.size)],
    ...(losses ? [['media', losses] as const] : []),
    ['jobs', String(record.jobs.count)],
    ['status', record.status],
    ['url', record.url],
  ])
}

/** Attaches the media, or finds the report of the former run that attached it. */
async function mediaReport(attaching: MediaAttachment, session: CommandSession): Promise<Report> {
  const { client, journal, task } = attaching
  const { signal, output } = session
  if (task.size === 0)
    return attachMedia(attaching, session).catch((thrown) => {
      if (!signal.aborted) output.note(taskStaysNote(task))
      throw thrown
    })
  const rq_id = (await journal.read())?.rq_id
  if (rq_id === undefined) return null
  const request = await client.getRequest({ rq_id }, { signal }).catch(ifDeleted)
  return request?.report ?? null
}

const taskStaysNote = ({ id }: Task) =>
  `Task ${id} stays without media: the same command tries it again, \`reticle task delete ${id}\` takes it away.`

const isElsewhere = ({ server_files, remote_files, cloud_storage_id }: DataParameters) =>
  server_files !== undefined || remote_files !== undefined || cloud_storage_id !== undefined

async function readTaskInput(
  { name, media, options }: TaskCommand,
  session: CommandSession,
): Promise<TaskInput> {
  const body = await bodyOf(taskFields, options, session, { name })
  const data = await bodyOf(dataFields, options, session)
  if (options.share)
    return { body, data: { ...data, server_files: requireMedia(media) }, files: [] }
  if (options.remote)
    return { body, data: { ...data, remote_files: requireMedia(media) }, files: [] }
  if (options.cloudStorage !== undefined) {
    const cloud_storage_id = numberId(String(options.cloudStorage))
    const keys = media.length > 0 ? { server_files: media } : {}
    return { body, data: { ...data, cloud_storage_id, ...keys }, files: [] }
  }
  if (media.length === 0) return { body, data, files: [] }
  const { files, ignored } = await gatherFiles(media, (count) =>
    session.progress.update(0, `${count}`),
  )
  if (ignored.length > 0) session.output.note(`Not sent, since no picture: ${joinSome(ignored)}`)
  return { body, data, files }
}

function requireMedia(media: string[]): string[] {
  if (media.length === 0) throw usageFailure('Nothing is named that the task is made of')
  return media
}

/** Returns the task of a former run, or creates one. The idempotency key ensures that it is created once. */
async function taskOf(
  client: Client,
  journal: Journal,
  body: TaskCreate,
  { signal, output }: CommandSession,
): Promise<Task> {
  const state = await journal.read()
  if (state?.task_id !== undefined) {
    const known = await client.getTask({ id: state.task_id }, { signal }).catch(ifDeleted)
    if (known) {
      output.note(`Going on with task ${known.id}.`)
      return known
    }
    await journal.forget()
  }
  const idempotency_key = state?.task_id === undefined ? state?.idempotency_key : undefined
  const key = idempotency_key ?? randomUUID()
  await journal.note({ idempotency_key: key })
  const task = await client.createTask({ body }, { signal, idempotency_key: key })
  await journal.note({ task_id: task.id })
  output.note(`Task ${task.id} is created.`)
  return task
}

function ifDeleted(thrown: unknown): undefined {
  if (thrown instanceof ApiError && thrown.status === 404) return undefined
  throw thrown
}

interface MediaAttachment {
  client: Client
  journal: Journal
  task: Task
  taskInput: TaskInput
  isWaited: boolean
}

async function attachMedia(
  { client, journal, task, taskInput: { data, files }, isWaited }: MediaAttachment,
  session: CommandSession,
): Promise<Report> {
  const { id } = task
  const { signal, output } = session
  const start = () =>
    files.length > 0
      ? client.uploadTaskData.send(
          { id, body: data },
          files,
          createUploadOptions(session, `Sending ${formatCount(files.length, 'file')}`),
        )
      : client.uploadTaskData({ id, body: data }, { signal })
  if (!isWaited) {
    const { rq_id } = await start()
    output.note(
      `Frames are being prepared: \`reticle request wait '${rq_id}'\` reports files that become none.`,
    )
    return null
  }
  const work = { client, journal, title: 'Preparing frames', isSame: true, start }
  const { report } = await runRequest(session, work)
  return report
}
