import type { formats } from '@reticle/formats/registry'
import { unzip } from '@reticle/tests/support/archives'
import type { AnyJson } from '@reticle/tests/support/client'
import { annotationFile, datasetFile } from '@reticle/tests/support/pictures'
import { boxesOf, listBoxDifferences } from './boxes.ts'
import { type DayTask, incrementCount } from './ledger.ts'
import type { Worker } from './worker.ts'

type Format = (typeof formats)[number]

const query = (name: string) => `format=${encodeURIComponent(name)}`

/** Exports, reads the archive and, where the format can be imported, imports it into an empty copy. */
export async function outAndIn(worker: Worker, task: DayTask, format: Format): Promise<void> {
  const { ledger } = worker
  const archive = await exportAndCheck(worker, task, format.name)
  incrementCount(ledger.exports, format.name)
  if (!format.importer) return
  await onTwin(worker, task, async (twin) => {
    const path = `/tasks/${twin}/annotations/?${query(format.name)}&import_mode=append`
    await worker.caller.work(path, { form: annotationFile(archive, 'set.zip') })
    await compareWith(worker, task, twin, `import of ${format.name}`)
    incrementCount(ledger.imports, format.name)
  })
}

/** Downloads an export and reads every member. */
export async function exportAndCheck(
  { caller, ledger }: Pick<Worker, 'caller' | 'ledger'>,
  task: DayTask,
  name: string,
): Promise<Buffer> {
  const request = await caller.work(
    `/tasks/${task.id}/dataset/export?${query(name)}&save_images=true`,
  )
  const { shapes, tracks } = request.report.created
  if (shapes + tracks !== task.boxes.size)
    incrementCount(
      ledger.wrong,
      `export of ${name}: ${task.boxes.size - shapes - tracks} objects less`,
    )
  const archive = await caller.bytes(request.result_url)
  const members = await unzip(archive)
  const names = [...members.keys()].flatMap((path) => /frame-\d+(?=\.\w+$)/.exec(path)?.[0] ?? [])
  const pictures = new Set(names).size // masks of the same name may be next to them
  const isWhole = pictures === task.frames || name.startsWith('TFRecord') // its records contain the images
  if (!isWhole) incrementCount(ledger.wrong, `export of ${name}: ${pictures} pictures`)
  return archive
}

/** Creates a task with the same images, which is deleted afterwards. */
async function onTwin(
  worker: Worker,
  { id }: DayTask,
  use: (twin: number) => Promise<void>,
): Promise<void> {
  const { caller } = worker
  const backup = await caller.work(`/tasks/${id}/backup/export`)
  const archive = await caller.bytes(backup.result_url)
  const restored = await caller.work('/tasks/backup/', { form: backupForm(archive) })
  const twin = restored.result_id
  await caller.done('PUT', `/tasks/${twin}/annotations/`, { json: {} })
  await use(twin)
  await forget(worker, `/tasks/${twin}`)
}

/** Imports the data set as a task of another project. */
export async function intoProject(worker: Worker, task: DayTask): Promise<void> {
  const { caller, ledger } = worker
  const archive = await exportAndCheck(worker, task, 'COCO 1.0')
  const labels = [{ name: 'car' }, { name: 'sign' }]
  const { id } = await caller.done('POST', '/projects', { json: { name: 'target', labels } })
  const path = `/projects/${id}/dataset/?${query('COCO 1.0')}`
  await caller.work(path, { form: datasetFile(archive) })
  const { results } = await caller.done('GET', `/tasks?project_id=${id}`)
  if (results.length !== 1)
    incrementCount(ledger.wrong, `import into a project: ${results.length} tasks`)
  for (const one of results) await compareWith(worker, task, one.id, 'import into a project')
  incrementCount(ledger.imports, 'into a project')
  await forget(worker, `/projects/${id}`)
}

/** Creates a backup and restores it. */
export async function backUpAndRestore(worker: Worker, task: DayTask): Promise<void> {
  const { caller, ledger } = worker
  const { result_url } = await caller.work(`/tasks/${task.id}/backup/export`)
  const archive = await caller.bytes(result_url)
  const { result_id } = await caller.work('/tasks/backup/', { form: backupForm(archive) })
  const restored = await caller.done('GET', `/tasks/${result_id}`)
  const isSame = restored.name === task.name && restored.size === task.frames
  if (!isSame)
    incrementCount(ledger.wrong, 'a restored task that is not the one that was backed up')
  await compareWith(worker, task, result_id, 'restore')
  incrementCount(ledger.exports, 'backup')
  incrementCount(ledger.imports, 'backup')
  await forget(worker, `/tasks/${result_id}`)
}

function backupForm(archive: Uint8Array): FormData {
  const form = new FormData()
  form.append('backup_file', new Blob([Buffer.from(archive)]), 'backup.zip')
  return form
}

async function compareWith(
  worker: Worker,
  task: DayTask,
  other: number,
  what: string,
): Promise<void> {
  const found: AnyJson = await worker.caller.done('GET', `/tasks/${other}/annotations/`)
  for (const one of listBoxDifferences(task.boxes.values(), boxesOf(found)))
    incrementCount(worker.ledger.wrong, `${what}: ${one}`)
}

async function forget({ caller, ledger }: Worker, path: string): Promise<void> {
  await caller.done('DELETE', path)
  ledger.deleted.push({ path, owner: caller })
}
