import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memberOf } from './demo/archive.mjs'
import { createDemoClient } from './demo/client.mjs'
import { drawDataset } from './demo/drawing.mjs'
import { startReceiver } from './demo/receiver.mjs'
import { startServer } from './demo/server.mjs'
import { startStep } from './demo/terminal.mjs'
import { prepareCheckout } from './ready.mjs'

/** @typedef {import('./demo/client.mjs').DemoClient} DemoClient */
/** @typedef {import('./demo/client.mjs').Json} Json */

const usage = `npm run demo                                   the main job on 60 pictures drawn for it
npm run demo -- --images DIR --coco FILE       the same with your pictures and your COCO file

Starts a Reticle on an empty temporary directory, uploads pictures, imports COCO annotations, edits
one, exports a dataset, and shows the signed webhook that told another program about it.`

const secret = 'demo-secret'
const password = 'demo-password-1'
const { values } = parseArgs({
  options: { images: { type: 'string' }, coco: { type: 'string' }, help: { type: 'boolean' } },
})
if (values.help || Boolean(values.images) !== Boolean(values.coco)) {
  console.log(usage)
  process.exit(values.help ? 0 : 1)
}
prepareCheckout()
const dataset = values.images ? ownDataset(values.images, values.coco ?? '') : drawDataset(60)
const receiver = await startReceiver(secret)
const server = await startServer(password)
try {
  await mainJob(`${server.url}/api`)
} finally {
  await server.stop()
  receiver.stop()
}

/** @param {string} base */
async function mainJob(base) {
  const api = createDemoClient(base, await signIn(base))
  const task = await createTask(api)
  await upload(api, task)
  const imported = await importCoco(api, task)
  await edit(api, task)
  await exportCoco(api, task, imported)
  await showWebhook()
}

/** @param {string} base */
async function signIn(base) {
  const at = startStep('sign in')
  const answer = await fetch(`${base}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  })
  const { key } = /** @type {Json} */ (await answer.json())
  at.done('admin')
  return key
}

/** @param {DemoClient} api */
async function createTask(api) {
  const at = startStep('project, webhook, task')
  const project = await api.call('POST', '/projects', {
    json: { name: 'Demo', labels: dataset.labels },
  })
  const hook = {
    type: 'project',
    project_id: project.id,
    target_url: receiver.url,
    events: 'update:task',
    secret,
  }
  await api.call('POST', '/webhooks', { json: hook })
  const segment_size = Math.ceil(dataset.images.length / 4)
  const json = { name: 'Pictures', project_id: project.id, segment_size }
  const task = await api.call('POST', '/tasks', { json })
  at.done(`project ${project.id}, task ${task.id}`)
  return task
}

/**
 * @param {DemoClient} api
 * @param {Json} task
 */
async function upload(api, task) {
  const at = startStep('upload pictures')
  const form = new FormData()
  dataset.images.forEach(({ name, bytes }, index) => {
    form.append(`client_files[${index}]`, new Blob([bytes]), name)
  })
  const bytes = dataset.images.reduce((sum, image) => sum + image.bytes.length, 0)
  await api.finished(await api.call('POST', `/tasks/${task.id}/data`, { form }), at.progress)
  const { size, jobs } = await api.call('GET', `/tasks/${task.id}`)
  at.done(`${size} frames, ${(bytes / 1e6).toFixed(1)} MB, ${jobs.count} jobs`)
}

/**
 * @param {DemoClient} api
 * @param {Json} task
 */
async function importCoco(api, task) {
  const at = startStep('import COCO 1.0')
  const form = new FormData()
  form.append('annotation_file', new Blob([dataset.coco]), 'instances.json')
  const started = await api.call('POST', `/tasks/${task.id}/annotations/?format=COCO%201.0`, {
    form,
  })
  const { report } = await api.finished(started, at.progress)
  at.done(`${report.created.shapes} shapes, ${report.skipped} skipped`)
  return report
}

/**
 * @param {DemoClient} api
 * @param {Json} task
 */
async function edit(api, task) {
  const at = startStep('edit a shape')
  const { shapes } = await api.call('GET', `/tasks/${task.id}/annotations/`)
  const [first] = shapes
  if (!first) return at.done('there is none')
  const json = { shapes: [{ id: first.id, occluded: true }] }
  const { shapes: changed } = await api.call(
    'PATCH',
    `/tasks/${task.id}/annotations/?action=update`,
    { json },
  )
  at.done(`shape ${first.id} is occluded: ${changed[0].occluded}`)
}

/**
 * @param {DemoClient} api
 * @param {Json} task
 * @param {Json} report of the import
 */
async function exportCoco(api, task, { created }) {
  const at = startStep('export COCO 1.0 with pictures')
  const started = await api.call(
    'POST',
    `/tasks/${task.id}/dataset/export?format=COCO%201.0&save_images=true`,
  )
  const { result_url } = await api.finished(started, at.progress)
  const zip = await api.download(result_url)
  const { name, text } = memberOf(zip, (member) => member.endsWith('.json'))
  const { annotations } = JSON.parse(text)
  at.done(
    `${(zip.length / 1e6).toFixed(1)} MB, ${name} holds ${annotations.length} of ${created.shapes} shapes`,
  )
}

async function showWebhook() {
  const at = startStep('webhook')
  const found = await seen((one) => one.annotations?.action === 'update', 10_000)
  if (!found) throw new Error('no webhook arrived within 10 s')
  at.done(`${receiver.received.length} deliveries`)
  const { event, annotations, isGenuine, sender, delivery_id } = found
  console.log(JSON.stringify({ event, annotations, sender: sender.username, delivery_id }, null, 2))
  console.log(isGenuine ? '  ✓ signature is right' : '  ✗ signature is WRONG')
  if (!isGenuine) process.exitCode = 1
}

/**
 * @param {(one: Json) => boolean} matches
 * @param {number} patience
 */
async function seen(matches, patience) {
  for (const until = Date.now() + patience; Date.now() < until; ) {
    const found = receiver.received.find(matches)
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return undefined
}

/**
 * Uses the user's own images and COCO file; its categories become labels.
 * @param {string} folder
 * @param {string} file
 */
function ownDataset(folder, file) {
  const pictures = /\.(?:jpe?g|png|webp|gif|tiff?|avif)$/i
  const names = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => pictures.test(name))
  const coco = readFileSync(file, 'utf8')
  const labels = JSON.parse(coco).categories.map((/** @type {Json} */ { name }) => ({ name }))
  return {
    images: names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) })),
    coco,
    labels,
  }
}
