import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Changed, ConnectionError, createClient } from '../index.ts'
import { saveTo } from '../node.ts'
import { broken, json, startTestService, type TestAnswer } from '../testing/service.ts'

const text = Array.from({ length: 5000 }, (_, index) => `${index} `).join('')
const link = 'http://other.example.org/api/tasks/1/dataset/download?rq_id=x'

/** Serves `text` with ranges, as the service does; `cut` breaks the connection after that many bytes. */
const file =
  ({
    cut,
    etag = '"1"',
    content = text,
  }: {
    cut?: number
    etag?: string
    content?: string
  }): TestAnswer =>
  (response, { headers }) => {
    const isSame = headers['if-range'] === undefined || headers['if-range'] === etag
    const [, from] = (isSame && /^bytes=(\d+)-$/.exec(headers.range ?? '')) || []
    const start = Number(from ?? 0)
    const part = content.slice(start)
    response.writeHead(from === undefined ? 200 : 206, {
      etag,
      'content-length': part.length,
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="a b.zip"; filename*=UTF-8''%D1%81.zip`,
      ...(from !== undefined && {
        'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
      }),
    })
    if (cut === undefined) return response.end(part)
    const cutOff = () => setTimeout(() => response.destroy(), 400) // data that the client has not read yet is lost
    return response.write(part.slice(0, cut), cutOff)
  }

const fetched = async (...answers: TestAnswer[]) => {
  const { url, heard } = await startTestService(...answers)
  return { client: createClient({ url, token: 't' }), heard }
}

describe('a download', () => {
  test('has its metadata and is fetched from the host of the client', async () => {
    const { client, heard } = await fetched(file({}))
    const told: [number, number | null][] = []
    const got = await client.download(link, { on_progress: (...given) => void told.push(given) })
    expect(got).toMatchObject({
      filename: 'с.zip',
      size: text.length,
      type: 'application/zip',
      etag: '"1"',
      offset: 0,
    })
    expect(await (await got.blob()).text()).toBe(text)
    expect(told.at(-1)).toEqual([text.length, text.length])
    expect(heard).toMatchObject([
      {
        path: '/tasks/1/dataset/download?rq_id=x',
        headers: { authorization: 'Token t', 'accept-encoding': 'identity' },
      },
    ])
  })

  test('resumes after failures from the next byte', async () => {
    const { client, heard } = await fetched(
      ...[file({ cut: 7000 }), broken, file({ cut: 100 }), file({})],
    )
    const got = await client.download({ id: 'x', result_url: link })
    expect(new TextDecoder().decode(await got.bytes())).toBe(text)
    expect(heard.map(({ headers }) => [headers.range, headers['if-range']])).toEqual([
      [undefined, undefined],
      ['bytes=7000-', '"1"'],
      ['bytes=7000-', '"1"'],
      ['bytes=7100-', '"1"'],
    ])
  })

  test('does not mix two versions of a file', async () => {
    const { client } = await fetched(file({ cut: 7000 }), file({ etag: '"2"' }))
    const got = await client.download(link)
    await expect(got.bytes()).rejects.toThrow(Changed)
  })

  test('fails when it has fewer bytes than announced', async () => {
    const short: TestAnswer = (response) => {
      response.writeHead(200, { 'content-length': 100, connection: 'close' })
      response.write('half', () => response.destroy())
    }
    const { client } = await fetched(short)
    const got = await client.download(link)
    await expect(got.bytes()).rejects.toThrow(ConnectionError)
    await expect((await client.download(link)).bytes()).rejects.toThrow('broke off at byte 4')
  })

  test('is checked even if the connection sends no length', async () => {
    const early: TestAnswer = (response) => {
      const place = `bytes 7000-${text.length - 1}/${text.length}`
      response.writeHead(206, { etag: '"1"', 'content-range': place })
      response.write(text.slice(7000, 7100))
      response.end()
    }
    const { client, heard } = await fetched(file({ cut: 7000 }), early, file({}))
    const got = await client.download(link)
    expect(new TextDecoder().decode(await got.bytes())).toBe(text)
    expect(heard[2]?.headers.range).toBe('bytes=7100-')
  })

  test('fails after repeated attempts without progress', async () => {
    const { client, heard } = await fetched(file({ cut: 10 }), file({ cut: 0 }))
    const got = await client.download(link, { retries: 2 })
    await expect(got.bytes()).rejects.toThrow('broke off at byte 10')
    expect(heard).toHaveLength(3)
  })

  test('reports errors like other calls', async () => {
    const { client } = await fetched(json(404, { detail: 'The exported file has expired' }))
    await expect(client.download(link)).rejects.toThrow('download was refused with 404')
    const request = { id: 'rq', result_url: null }
    await expect(client.download(request)).rejects.toThrow('Request rq has no file')
  })

  test('ends with its signal', async () => {
    const { client } = await fetched((response) => {
      response.writeHead(200, { 'content-length': 9 })
      response.write('.')
    })
    const gone = new AbortController()
    const got = await client.download(link, {
      signal: gone.signal,
      on_progress: () => gone.abort(new Error('enough')),
    })
    await expect(got.bytes()).rejects.toThrow('enough')
  })

  test('follows a redirect to a bucket without sending credentials', async () => {
    const bucket = await startTestService(file({ cut: 7000 }), file({}))
    const { client, heard } = await fetched((response) => {
      response.writeHead(302, { location: `${bucket.url}/bucket/key?signature=s` }).end()
    })
    const got = await client.download(link)
    expect(new TextDecoder().decode(await got.bytes())).toBe(text)
    expect(heard).toHaveLength(2) // an address is valid for a while, so the retry requests a new one
    for (const { headers } of bucket.heard) expect(headers.authorization).toBeUndefined()
    expect(bucket.heard[1]?.headers).toMatchObject({ range: 'bytes=7000-', 'if-range': '"1"' })
  })
})

describe('a download into a file', () => {
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'reticle-sdk-'))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }

  test('appears when complete, and can be resumed by another process', async () => {
    const { client, heard } = await fetched(file({ cut: 7000 }), file({}))
    const place = folder()
    const path = join(place, 'out.zip')
    await expect(saveTo(client, link, path, { retries: 0 })).rejects.toThrow('byte 7000')
    const tag = createHash('sha256').update('"1"').digest('hex').slice(0, 8)
    expect(readdirSync(place)).toEqual([`out.zip.${tag}.part`])

    expect(await saveTo(client, link, path)).toMatchObject({ size: text.length, filename: 'с.zip' })
    expect(readdirSync(place)).toEqual(['out.zip'])
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(heard.at(-1)?.headers.range).toBe('bytes=7000-')
  })

  test('restarts when the file has changed', async () => {
    const other = 'other'
    const changed = file({ etag: '"2"', content: other })
    const { client } = await fetched(file({ cut: 7000 }), changed)
    const path = join(folder(), 'out.zip')
    await expect(saveTo(client, link, path, { retries: 0 })).rejects.toThrow('byte 7000')
    await saveTo(client, link, path)
    expect(readFileSync(path, 'utf8')).toBe(other)
    expect(readdirSync(dirname(path))).toEqual(['out.zip']) // the first part is deleted
  })

  test('restarts when the service does not support ranges', async () => {
    const whole: TestAnswer = (response) => response.writeHead(200, { etag: '"1"' }).end(text)
    const { client } = await fetched(file({ cut: 7000 }), whole)
    const path = join(folder(), 'out.zip')
    await expect(saveTo(client, link, path, { retries: 0 })).rejects.toThrow('byte 7000')
    await saveTo(client, link, path)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('that is already complete is not downloaded again', async () => {
    const { client, heard } = await fetched(file({}))
    const path = join(folder(), 'out.zip')
    const tag = createHash('sha256').update('"1"').digest('hex').slice(0, 8)
    writeFileSync(`${path}.${tag}.part`, text)
    await saveTo(client, link, path)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(heard).toHaveLength(1)
  })
})
