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
import { examples } from '../examples.ts'
import { misused } from '../failure.ts'
import { addFields, bodyOf, type Fields, type Options } from '../resources/fields.ts'
import { numberId } from '../resources/resource.ts'
import { labels, tracker } from '../resources/work.ts'
import { openSession, type Session, type Surroundings } from '../session.ts'
import { counted } from '../terminal/counts.ts'
import { lossText, reportLines, someOf } from '../terminal/report.ts'
import { filesMark, gatherFiles } from '../transfers/files.ts'
import { type Journal, openJournal } from '../transfers/journal.ts'
import { finish } from '../transfers/requests.ts'
import { sending } from '../transfers/sending.ts'

const taskFields: Fields<TaskCreate> = [
  { key: 'name', flags: '<name>', about: 'what it is called' },
  {
    key: 'project_id',
    flags: '--project <id>',
    about: 'within this project, with its labels',
    kind: 'number',
  },
  labels,
  { key: 'subset', flags: '--subset <name>', about: 'its subset in exports' },
  { key: 'assignee_id', flags: '--assignee <user>', about: 'a name, an id, or me', kind: 'user' },
  {
    key: 'segment_size',
    flags: '--segment-size <frames>',
    about: 'frames of a job',
    kind: 'number',
  },
  { key: 'overlap', flags: '--overlap <frames>', about: 'frames that jobs share', kind: 'number' },
  tracker,
]

const dataFields: Fields<DataParameters> = [
  {
    key: 'image_quality',
    flags: '--quality <percent>',
    about: 'of the pictures that are shown, 1 to 100',
    kind: 'number',
  },
  {
    key: 'sorting_method',
    flags: '--sort <method>',
    about: 'order of the frames',
    choices: ['lexicographical', 'natural', 'predefined', 'random'],
  },
  {
    key: 'start_frame',
    flags: '--start-frame <number>',
    about: 'first frame that is taken',
    kind: 'number',
  },
  {
    key: 'stop_frame',
    flags: '--stop-frame <number>',
    about: 'last frame that is taken',
    kind: 'number',
  },
  { key: 'frame_filter', flags: '--frame-filter <filter>', about: 'step=N takes every N-th frame' },
  { key: 'chunk_size', flags: '--chunk-size <frames>', about: 'frames of a chunk', kind: 'number' },
  {
    key: 'filename_pattern',
    flags: '--pattern <glob>',
    about: 'with --cloud-storage: which of its files',
  },
  {
    key: 'server_files_exclude',
    flags: '--exclude <path>',
    about: 'of the share or bucket: what is left out',
    kind: 'list',
  },
  {
    key: 'copy_data',
    flags: '--copy-data <true|false>',
    about: 'with --share: copy the files',
    kind: 'flag',
  },
]

const description = `Creates a task and attaches its media: pictures (files and folders of them), an archive of pictures, a video or a PDF of this machine;
with --share paths of the server's share, with --remote addresses, with --cloud-storage keys of a bucket.
When it is broken off, the same command goes on with the same task, and sends what has not arrived.`

export function addTaskCreate(group: Command, around: Surroundings): void {
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
    .option('--no-wait', 'do not wait until the frames are there')
  addFields(command, dataFields)
  command.action(async (name: string, media: string[], options: Options, self: Command) =>
    createTask({ name, media, options }, openSession(self, around)),
  )
  examples(command, [
    ['reticle task create "Batch 1" frames/ --label car --label bus', 'of a folder of pictures'],
    ['reticle task create Drive drive.mp4 --project 7 --frame-filter step=5', 'of a video'],
    ['reticle task create Shared 2026/march/ --share --project 7', 'of files of the share'],
    ['reticle task create Web https://example.org/a.jpg --remote --label car', 'of an address'],
    ['reticle task create Bucket --cloud-storage 9 --pattern "*.jpg" --project 7', 'of a bucket'],
  ])
}

interface Asked {
  name: string
  media: string[]
  options: Options
}

interface Wanted {
  body: TaskCreate
  data: DataParameters
  files: FileSource[]
}

async function createTask(asked: Asked, session: Session): Promise<void> {
  const { output, around, signal, progress } = session
  progress.step(asked.media.length > 0 ? 'Looking at the media' : 'Creating the task')
  const wanted = await wantedOf(asked, session)
  const client = await session.client()
  const { url, organization } = await session.target()
  const { body, data, files } = wanted
  const about = [url, organization, body, data, filesMark(files)]
  const journal = openJournal(around.env.cacheDir, 'task create', about)
  const task = await taskOf(client, journal, body, session)
  const isWaited = asked.options.wait !== false
  const attaching = { client, journal, task, wanted, isWaited }
  const hasMedia = files.length > 0 || isElsewhere(data)
  const report = hasMedia ? await mediaReport(attaching, session) : null
  for (const line of reportLines(report, 'Media')) output.note(line)
  await journal.forget()
  const record = await client.getTask({ id: task.id }, { signal })
  showTask(record, report, session)
}

type Report = Request['report']

/** @param report report about files that were skipped or changed; with `--json` it is part of the record */
function showTask(record: Task, report: Report, { output }: Session): void {
  const losses = lossText(report)
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
async function mediaReport(attaching: Attaching, session: Session): Promise<Report> {
  const { client, journal, task } = attaching
  const { signal, output } = session
  if (task.size === 0)
    return attach(attaching, session).catch((thrown) => {
      if (!signal.aborted) output.note(stays(task))
      throw thrown
    })
  const rq_id = (await journal.read())?.rq_id
  if (rq_id === undefined) return null
  const request = await client.getRequest({ rq_id }, { signal }).catch(ifGone)
  return request?.report ?? null
}

const stays = ({ id }: Task) =>
  `Task ${id} stays without media: the same command tries it again, \`reticle task delete ${id}\` takes it away.`

const isElsewhere = ({ server_files, remote_files, cloud_storage_id }: DataParameters) =>
  server_files !== undefined || remote_files !== undefined || cloud_storage_id !== undefined

async function wantedOf({ name, media, options }: Asked, session: Session): Promise<Wanted> {
  const body = await bodyOf(taskFields, options, session, { name })
  const data = await bodyOf(dataFields, options, session)
  if (options.share) return { body, data: { ...data, server_files: named(media) }, files: [] }
  if (options.remote) return { body, data: { ...data, remote_files: named(media) }, files: [] }
  if (options.cloudStorage !== undefined) {
    const cloud_storage_id = numberId(String(options.cloudStorage))
    const keys = media.length > 0 ? { server_files: media } : {}
    return { body, data: { ...data, cloud_storage_id, ...keys }, files: [] }
  }
  if (media.length === 0) return { body, data, files: [] }
  const { files, ignored } = await gatherFiles(media, (count) =>
    session.progress.update(0, `${count}`),
  )
  if (ignored.length > 0) session.output.note(`Not sent, since no picture: ${someOf(ignored)}`)
  return { body, data, files }
}

function named(media: string[]): string[] {
  if (media.length === 0) throw misused('Nothing is named that the task is made of')
  return media
}

/** Returns the task of a former run, or creates one. The idempotency key ensures that it is created once. */
async function taskOf(
  client: Client,
  journal: Journal,
  body: TaskCreate,
  { signal, output }: Session,
): Promise<Task> {
  const noted = await journal.read()
  if (noted?.task_id !== undefined) {
    const known = await client.getTask({ id: noted.task_id }, { signal }).catch(ifGone)
    if (known) {
      output.note(`Going on with task ${known.id}.`)
      return known
    }
    await journal.forget()
  }
  const idempotency_key = noted?.task_id === undefined ? noted?.idempotency_key : undefined
  const key = idempotency_key ?? randomUUID()
  await journal.note({ idempotency_key: key })
  const task = await client.createTask({ body }, { signal, idempotency_key: key })
  await journal.note({ task_id: task.id })
  output.note(`Task ${task.id} is created.`)
  return task
}

function ifGone(thrown: unknown): undefined {
  if (thrown instanceof ApiError && thrown.status === 404) return undefined
  throw thrown
}

interface Attaching {
  client: Client
  journal: Journal
  task: Task
  wanted: Wanted
  isWaited: boolean
}

async function attach(
  { client, journal, task, wanted: { data, files }, isWaited }: Attaching,
  session: Session,
): Promise<Report> {
  const { id } = task
  const { signal, output } = session
  const start = () =>
    files.length > 0
      ? client.uploadTaskData.send(
          { id, body: data },
          files,
          sending(session, `Sending ${counted(files.length, 'file')}`),
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
  const { report } = await finish(session, work)
  return report
}
