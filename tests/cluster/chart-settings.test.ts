import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { markedFor } from '../support/document-blocks.ts'
import { root } from '../support/root.ts'
import { environmentOf, listWorkloads, renderManifests } from './chart-tools.ts'

/**
 * The chart and the compose file set exactly the settings that the programs read. Each program is started with its
 * settings and an invalid log level, and must report only that one.
 */

const run = promisify(execFile)
const service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
})
const composed = z.object({ services: z.record(z.string(), service) })

interface Started {
  code: number
  text: string
}

/** Runs a program as its image would, without the environment of this process. */
async function start(
  image: string,
  words: string[],
  env: Record<string, string>,
): Promise<Started> {
  const cwd = join(root, 'apps', image)
  const [file = 'dist/main.js', ...rest] = words
  const running = run(process.execPath, [file, ...rest], { cwd, env: { PATH: '', ...env } })
  return running.then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }) => ({ code, text: stderr }),
  )
}

const seen = new Map<string, Promise<string[]>>()

/** Returns the names of the settings that a program reads. */
function read(image: string, file: string): Promise<string[]> {
  const program = `${image}/${file}`
  const known = seen.get(program) ?? namesOf(image, file)
  seen.set(program, known)
  return known
}

async function namesOf(image: string, file: string): Promise<string[]> {
  const { code, text } = await start(image, [file, '--help'], {})
  if (code !== 0) throw new Error(`${image}/${file} --help: ${text}`)
  return [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]+)$/gm)].map(([, name = '']) => name)
}

const wrong = { RETICLE_LOG_LEVEL: 'loud' }
const complaint = /^These settings cannot be used:\n {2}RETICLE_LOG_LEVEL: .*\n$/

/** Returns values for the secrets that the chart only names. */
function secretOf(_: string, key: string): string {
  if (/^(projects|annotations|jobs|webhooks)/.test(key))
    return 'postgresql://role:word@host/reticle'
  if (key === 'internal-keys') return 'k'.repeat(48)
  if (key === 'secret-keys') return `k1:${Buffer.alloc(32).toString('base64')}`
  if (key === 'smtp-url') return 'smtp://reticle:word@smtp.example.org:587'
  return 'a-password-of-some-length'
}

const ours = (name: string) => name.startsWith('RETICLE_') || name.startsWith('OTEL_')
const imageOf = (text: string) => text.replace(/^.*reticle-/, '').replace(/[:@].*$/, '')

describe.each([
  ['default', []],
  ['production', ['-f', join(root, 'deploy/helm/values/production.yaml')]],
])('the chart with %s values', (_, args) => {
  const programs = async () =>
    listWorkloads(await renderManifests(...args)).flatMap(({ metadata, pod }) =>
      pod.containers
        .filter(({ args: [file = ''] }) => file.startsWith('dist/'))
        .map((one) => ({
          name: metadata.name,
          words: one.args,
          image: imageOf(one.image),
          env: environmentOf(one, secretOf),
        })),
    )

  test('every program gets all required settings in a valid form', async () => {
    const all = await programs()
    expect(all).toHaveLength(10)
    const started = await Promise.all(
      all.map(async ({ name, image, words, env }) => ({
        name,
        ...(await start(image, words, { ...env, ...wrong })),
      })),
    )
    for (const one of started) {
      expect(one).toMatchObject({ code: 1, text: expect.stringMatching(complaint) })
    }
  })

  test('no program gets a setting that it does not read', async () => {
    for (const { name, image, words, env } of await programs()) {
      const known = await read(image, words[0] ?? '')
      const unknown = Object.keys(env).filter((one) => ours(one) && !known.includes(one))
      expect({ name, unknown }).toEqual({ name, unknown: [] })
    }
  })
})

describe('the compose file', () => {
  const text = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
  const example = readFileSync(join(root, 'deploy/.env.example'), 'utf8')
  const { services } = composed.parse(parse(text, { merge: true }))
  const apps = Object.entries(services).filter(([, { image }]) => image.startsWith('reticle-'))
  const values: Record<string, string> = {
    INTERNAL_KEYS: secretOf('', 'internal-keys'),
    SECRET_KEYS: secretOf('', 'secret-keys'),
    LISTEN: '127.0.0.1:8080',
    SMTP_URL: '',
  }
  const filled = (value: string) =>
    value.replace(
      /\$\{(\w+)[^}]*\}/g,
      (_, name: string) => values[name] ?? (/^OTEL/.test(name) ? '' : 'filledin8'),
    )

  test.each(apps)('%s starts with its settings', async (_, { image, command, environment }) => {
    const given = Object.entries(environment).map(([name, value]) => [name, filled(value)])
    const env = { ...Object.fromEntries(given), ...wrong }
    const started = await start(imageOf(image), command ?? ['dist/main.js'], env)
    expect(started).toEqual({ code: 1, text: expect.stringMatching(complaint) })
  })

  test.each(apps)('%s gets no setting that it does not read', async (_, one) => {
    const known = await read(imageOf(one.image), one.command?.[0] ?? 'dist/main.js')
    expect(Object.keys(one.environment).filter((name) => !known.includes(name))).toEqual([])
  })

  test('the example file names every required secret', () => {
    const required = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name)
    const named = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect(named).toEqual(expect.arrayContaining([...new Set(required)]))
  })

  test('the documented commands name existing files and services', async () => {
    const self = 'tests/cluster/chart-settings.test.ts'
    const [copy = '', ...lines] = markedFor('docs/operations.md', self).join('').trim().split('\n')
    expect(copy).toMatch(/^cp deploy\/\.env\.example deploy\/\.env +# and fill it in$/)
    const [up, scale, exec, ...others] = lines.map((line) => {
      expect(line).toMatch(/^docker compose -f deploy\/compose\.yaml /)
      return line.split(' ').slice(4)
    })
    expect([up, others]).toEqual([['up', '--build', '-d'], []])
    const [scaled = ''] = scale?.at(-1)?.split('=') ?? []
    expect(services[scaled]).not.toHaveProperty('container_name')
    expect(services[scaled]).not.toHaveProperty('ports')
    const [, name = '', node, ...words] = exec ?? []
    expect(node).toBe('node')
    const image = imageOf(services[name]?.image ?? '')
    const { code, text } = await start(image, [...words, '--help'], {})
    expect([code, text]).toEqual([0, expect.stringContaining(words.slice(1).join(' '))])
  })

  test('every program runs without privileges on a read-only file system', () => {
    for (const [name, one] of apps) {
      expect(one, name).toMatchObject({
        user: '10001:10001',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  })
})
