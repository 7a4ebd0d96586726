import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Client, fromBytes, fromStream, RequestFailed } from '@reticle/sdk'
import { folderStore, fromPath, saveTo } from '@reticle/sdk/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { storedZip, unzip } from '../../support/archives.ts'
import { createImages, type ImageFile } from '../../support/pictures.ts'
import {
  dataDirectory,
  type ServerUnderTest,
  shareReticle,
  startReticle,
} from '../../support/reticle.ts'
import { countingFetch, sdkOf } from '../../support/sdk.ts'

/** Uploads and downloads by the SDK: small and large files, with kills of the server and of the client. */

const files = dataDirectory()
let reticle: ServerUnderTest
let client: Client
beforeAll(async () => {
  reticle = await shareReticle()
  client = sdkOf(reticle.url)
})
afterAll(async () => {
  files.remove()
})

const sourceOf = ({ name, bytes }: ImageFile) => fromBytes(name, new Uint8Array(bytes))
const newTask = async (by: Client = client) => {
  const labels = [{ name: 'car' }]
  return (await by.createTask({ body: { name: 't', labels } })).id
}
const framesOf = async (id: number, by: Client = client) =>
  (await by.getTaskDataMeta({ id })).frames.map(({ name }) => name)

test('a few images are sent in one form together with the media options', async () => {
  const { counted, fetch } = countingFetch()
  const one = sdkOf(reticle.url, fetch)
  const id = await newTask(one)
  const told: [number, number][] = []
  const body = { image_quality: 90, job_file_mapping: [['frame-002.png'], ['frame-001.png']] }
  const sources = (await createImages(3)).map(sourceOf)
  const size = sources.reduce((sum, source) => sum + source.size, 0)
  const on_progress = (done: number, total: number) => void told.push([done, total])
  const started = one.uploadTaskData.send({ id, body }, sources, { on_progress })
  const steps: string[] = []
  const done = await one.follow(started, { on_progress: ({ status }) => void steps.push(status) })
  expect(done).toMatchObject({ status: 'finished', operation: { type: 'create:task' } })
  expect(steps.at(-1)).toBe('finished')
  expect(await framesOf(id)).toEqual(['frame-002.png', 'frame-001.png'])
  expect(counted.forms).toBe(1)
  expect(told).toEqual([
    [0, size],
    [size, size],
  ])
})

test('files of browsers, and streams of known size, are sent unchanged', async () => {
  const [first, second] = await createImages(2)
  if (!first || !second) throw new Error('two images are missing')
  const id = await newTask()
  const file = new File([new Uint8Array(first.bytes)], 'b.png')
  const halves = async function* () {
    yield second.bytes.subarray(0, 20)
    yield second.bytes.subarray(20)
  }
  const stream = fromStream('a.png', second.bytes.length, halves())
  await client.follow(client.uploadTaskData.send({ id }, [file, stream]))
  expect(await framesOf(id)).toEqual(['a.png', 'b.png'])
})

test('many files are sent in groups, files in folders one by one, in the requested order', async () => {
  const { counted, fetch } = countingFetch()
  const one = sdkOf(reticle.url, fetch)
  const id = await newTask(one)
  const flat = (await createImages(120)).map(sourceOf).reverse()
  const [picture] = flat
  if (!picture) throw new Error('an image is missing')
  const inFolders = ['z/1.png', 'a/1.png'].map((name) => ({ ...picture, name }))
  const sources = [...inFolders, ...flat]
  const body = { sorting_method: 'predefined' as const }
  await one.follow(one.uploadTaskData.send({ id, body }, sources))
  expect(await framesOf(id)).toEqual(sources.map(({ name }) => name))
  expect(counted).toMatchObject({ forms: 2, pieces: 2 })
})

test('files that an earlier upload left at the service do not become part of a new one', async () => {
  const id = await newTask()
  const [left, second] = (await createImages(2)).map(sourceOf)
  if (!left || !second) throw new Error('two images are missing')
  const form = new FormData()
  form.append('client_files[0]', new Blob([await left.read(0, left.size)]), 'left.png')
  await client.uploadTaskData({ id, body: form }, { headers: { 'upload-multiple': '' } })
  await client.follow(
    client.uploadTaskData.send({ id }, [{ ...second, name: 'folder/wanted.png' }]),
  )
  expect(await framesOf(id)).toEqual(['folder/wanted.png'])
})

test('files that cannot be sent are reported before the first call', async () => {
  const [picture] = (await createImages(1)).map(sourceOf)
  if (!picture) throw new Error('an image is missing')
  const many = [picture, { ...picture, name: 'b' }]
  const send = client.importTaskAnnotations.send
  await expect(send({ id: 1, format: 'COCO 1.0' }, many)).rejects.toThrow('takes one file, not 2')
  await expect(send({ id: 1 }, [])).rejects.toThrow('needs a file')
  const twice = client.uploadTaskData.send({ id: 1 }, [picture, picture])
  await expect(twice).rejects.toThrow('have the same name')
})

describe('a large file', () => {
  async function freePort(): Promise<string> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    server.close()
    return String(typeof address === 'object' ? address?.port : '')
  }

  /** Builds an archive with images at both ends of a large file that is not an image. */
  const archive = async () => {
    const [first, second] = await createImages(2)
    if (!first || !second) throw new Error('two images are missing')
    const noise = { name: 'noise.bin', bytes: randomBytes(60 * 1024 * 1024) }
    return storedZip([first, noise, second])
  }

  test('an upload survives kills of the server, and continues in another process', async () => {
    const place = dataDirectory()
    const port = await freePort()
    let server = await startReticle(place.path, { RETICLE_PORT: port })
    onTestFinished(async () => {
      await server.stop()
      place.remove()
    })
    const bytes = await archive()
    const large = join(files.path, 'all.zip')
    writeFileSync(large, bytes)
    const store = () => folderStore(join(files.path, 'uploads'))
    const id = await newTask(sdkOf(server.url))

    const abort = new AbortController()
    const first = sdkOf(server.url).uploadTaskData.send({ id }, await fromPath(large), {
      store: store(),
      signal: abort.signal,
      on_progress: (done) =>
        done > bytes.length * 0.4 && abort.abort(new Error('the process ends')),
    })
    await expect(first).rejects.toThrow('the process ends')

    const { counted, fetch } = countingFetch()
    const again = sdkOf(server.url, fetch)
    let lowest = Number.POSITIVE_INFINITY
    let killing: Promise<void> | undefined
    const kill = async () => {
      await server.kill()
      server = await startReticle(place.path, { RETICLE_PORT: port })
    }
    const started = await again.uploadTaskData.send({ id }, await fromPath(large), {
      store: store(),
      retries: 60,
      on_progress: (done) => {
        if (done > 0) lowest = Math.min(lowest, done)
        if (done > bytes.length * 0.6) killing ??= kill()
      },
    })
    await killing
    expect(lowest).toBeGreaterThan(bytes.length * 0.3)
    expect(counted.bytes).toBeLessThan(bytes.length * 0.7)
    await again.follow(started)
    expect(await framesOf(id, again)).toEqual(['frame-001.png', 'frame-002.png'])
  })
})

describe('files other than media', () => {
  const largeText = async (id: number) => {
    const annotations = Array.from({ length: 150_000 }, (_, index) => ({
      ...{ id: index + 1, image_id: 1, category_id: 1, bbox: [1, 1, 2 + (index % 50), 2] },
    }))
    const [name = ''] = await framesOf(id)
    const images = [{ id: 1, file_name: name, width: 64, height: 48 }]
    const categories = [{ id: 1, name: 'car' }]
    return new TextEncoder().encode(JSON.stringify({ images, categories, annotations }))
  }

  test('large annotations are imported in chunks, and are read and written as streams', async () => {
    const { counted, fetch } = countingFetch()
    const one = sdkOf(reticle.url, fetch)
    const id = await newTask(one)
    await one.follow(one.uploadTaskData.send({ id }, (await createImages(1)).map(sourceOf)))
    const bytes = await largeText(id)
    expect(bytes.length).toBeGreaterThan(8 * 1024 * 1024)
    const input = { id, format: 'COCO 1.0' }
    const done = await one.follow(
      one.importTaskAnnotations.send(input, fromBytes('c.json', new Uint8Array(bytes))),
    )
    expect(done.report?.created.shapes).toBe(150_000)
    expect(counted.pieces).toBe(2)

    let read = 0
    const copied = async function* () {
      for await (const { kind, object } of one.getTaskAnnotations.items({ id })) {
        if (kind !== 'shapes') continue
        read += 1
        if (read % 2 === 0) yield { kind, object }
      }
    }
    let written = 0
    for await (const { kind } of one.replaceTaskAnnotations.items({ id, body: copied() }))
      if (kind === 'shapes') written += 1
    expect([read, written]).toEqual([150_000, 75_000])
  })

  test('a failed import reports the reason', async () => {
    const id = await newTask()
    await client.follow(client.uploadTaskData.send({ id }, (await createImages(1)).map(sourceOf)))
    const broken = fromBytes('c.json', new TextEncoder().encode('{"images": 1}'))
    const started = client.importTaskAnnotations.send({ id, format: 'COCO 1.0' }, broken)
    const failure = await client.follow(started).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(RequestFailed)
    expect(String(failure)).toMatch(/^RequestFailed: import:annotations failed: .+ \(request .+\)$/)
  })

  test('a backup is created, downloaded to a file and restored in chunks', async () => {
    const id = await newTask()
    const noise = { name: 'noise.bin', bytes: randomBytes(10 * 1024 * 1024) }
    const archive = storedZip([...(await createImages(2)), noise])
    const media = fromBytes('all.zip', new Uint8Array(archive))
    await client.follow(client.uploadTaskData.send({ id }, media))
    const finished = await client.follow(client.exportTaskBackup({ id }))
    const at = join(files.path, 'backup.zip')
    const told: number[] = []
    const saved = await saveTo(client, finished, at, {
      on_progress: (done) => void told.push(done),
    })
    expect(told.at(-1)).toBe(saved.size)
    expect(saved.filename).toMatch(/\.zip$/)
    const source = await fromPath(at)
    expect(source.size).toBe(saved.size)
    const restored = await client.follow(client.importTaskBackup.send({}, source))
    expect(await framesOf(Number(restored.result_id))).toEqual(await framesOf(id))
  })

  test('a data set is exported, and imported into a project', async () => {
    const id = await newTask()
    await client.follow(client.uploadTaskData.send({ id }, (await createImages(2)).map(sourceOf)))
    const options = { id, format: 'COCO 1.0', save_images: true }
    const file = await client.download(await client.follow(client.exportTaskDataset(options)))
    const bytes = await file.bytes()
    expect(bytes.length).toBe(file.size)
    const members = await unzip(Buffer.from(bytes))
    expect([...members.keys()].filter((name) => name.endsWith('.png'))).toHaveLength(2)
    const { id: into } = await client.createProject({ body: { name: 'p' } })
    const input = { id: into, format: 'COCO 1.0' }
    await client.follow(client.importProjectDataset.send(input, fromBytes('set.zip', bytes)))
    expect((await client.listTasks({ project_id: into })).count).toBe(1)
  })
})
