import { setTimeout as sleep } from 'node:timers/promises'

/**
 * `helm test`: signs in, creates a project and a task with one image, exports it, and follows the change of a project
 * to the delivery of a webhook. This uses every service, the database, Kafka and the object store. Everything created
 * is deleted again.
 */
const {
  SMOKE_URL: url,
  SMOKE_USERNAME: username,
  SMOKE_PASSWORD: password,
  SMOKE_WEBHOOK: target = '',
} = process.env
const isRealReceiver = !new URL(target).hostname.endsWith('.invalid')

const patienceMs = 120_000
/** The smallest PNG: one grey pixel. */
const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=='

const api = await signIn()
const project = await api('POST', '/projects', { name: 'helm test', labels: [{ name: 'point' }] })
try {
  const webhook = await addWebhook(project)
  const task = await addTask(project)
  await exportTask(task)
  await api('PATCH', `/projects/${project.id}`, { name: 'helm test, changed' })
  await delivered(webhook)
  print('everything works together')
} finally {
  await api('DELETE', `/projects/${project.id}`)
}

async function signIn() {
  const { key } = await send('POST', '/auth/login', { username, password })
  print(`signed in as ${username}`)
  return (method, path, body) => send(method, path, body, { authorization: `Token ${key}` })
}

async function addWebhook({ id }) {
  return await api('POST', '/webhooks', {
    type: 'project',
    project_id: id,
    target_url: target,
    events: 'update:project',
  })
}

async function addTask({ id }) {
  const task = await api('POST', '/tasks', { name: 'helm test', project_id: id })
  const form = new FormData()
  form.append('client_files[0]', new Blob([Buffer.from(picture, 'base64')]), 'point.png')
  await finished(await api('POST', `/tasks/${task.id}/data`, form), 'the picture')
  return task
}

async function exportTask({ id }) {
  const format = encodeURIComponent('COCO 1.0')
  const started = await api('POST', `/tasks/${id}/dataset/export?format=${format}`)
  await finished(started, 'the export')
}

async function finished({ rq_id }, what) {
  const path = `/requests/${encodeURIComponent(rq_id)}`
  const request = await until(`${what} did not finish`, async () => {
    const now = await api('GET', path)
    return now.status === 'finished' || now.status === 'failed' ? now : undefined
  })
  if (request.status === 'failed') throw new Error(`${what} failed: ${request.message}`)
  print(`${what} is done`)
}

async function delivered({ id }) {
  const attempt = await until('no delivery of the webhook was attempted', async () => {
    const { results } = await api('GET', `/webhooks/${id}/deliveries`)
    return results[0]
  })
  if (isRealReceiver && !(attempt.status_code >= 200 && attempt.status_code < 300)) {
    throw new Error(`the receiver at ${target} answered ${attempt.status_code ?? 'nothing'}`)
  }
  print(`the webhook was attempted: ${attempt.status_code ?? 'no such receiver, as meant'}`)
}

async function until(failure, look) {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(500)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`${failure} within ${patienceMs / 1000} s`)
}

async function send(method, path, body, headers = {}) {
  const isJson = body !== undefined && !(body instanceof FormData)
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
    body: isJson ? JSON.stringify(body) : body,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
