import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readConfig } from '@reticle/standalone/config'
import { opsProgram } from '@reticle/standalone/ops/commands'
import { settingsByProcess } from '@reticle/standalone/settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { markedFor } from '../support/document-blocks.ts'
import { runOps } from '../support/ops.ts'
import { dataDirectory, root, startReticle } from '../support/reticle.ts'

/** Commands in the documents for operators and developers work, or at least exist. */

const run = promisify(execFile)
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const howTos = readdirSync(join(root, 'docs/how-to')).map((name) => `docs/how-to/${name}`)
const documents = ['README.md', 'CONTRIBUTING.md', 'docs/operations.md', ...howTos]
const operations = read('docs/operations.md')
const lines = (text: string) =>
  [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'))

const { path: dataDir, remove } = dataDirectory()
const elsewhere = dataDirectory()
beforeAll(async () => {
  const reticle = await startReticle(dataDir)
  const { admin } = reticle
  const project = await admin.done('POST', '/projects', { json: { name: 'kept' } })
  await admin.done('POST', '/webhooks', {
    json: {
      type: 'project',
      project_id: project.id,
      target_url: 'http://127.0.0.1:9/',
      events: 'update:project',
      secret: 'to be sealed anew',
    },
  })
  await reticle.stop()
}, 60_000)
afterAll(() => {
  remove()
  elsewhere.remove()
})

/** Runs a block as it is written, but starts the built programs in place of npm commands. */
async function execute(block: string) {
  const built = (app: string) => `node ${join(root, 'apps/standalone/dist', app)}`
  const script = block
    .replaceAll('npm run ops --', built('ops/main.js'))
    .replaceAll('npm start', `timeout --signal=TERM 60 ${built('main.js')} | sed '/is ready at/q'`)
  const env = {
    ...process.env,
    RETICLE_DATA_DIR: dataDir,
    RETICLE_PORT: '0',
    RETICLE_LOG_LEVEL: 'error',
  }
  return run('bash', ['-euo', 'pipefail', '-c', script], { cwd: elsewhere.path, env })
}

const self = 'tests/e2e/operations.test.ts'
const marked = markedFor('docs/operations.md', self)

test('the three documented commands back up, restore and start an installation', async () => {
  const [backup = ''] = marked.filter((block) => block.includes('restore'))
  const lines = backup.trim().split('\n')
  const { stdout } = await execute(lines.slice(0, 2).join('\n'))
  expect(stdout).toMatch(/projects\.projects: 1\n/)
  expect(stdout).toMatch(/restored from .*backup\.tar/)
  expect(lines.slice(2)).toEqual(['RETICLE_DATA_DIR=restored npm start'])
  const restored = await startReticle(join(elsewhere.path, 'restored'))
  const { results } = await restored.admin.done('GET', '/projects')
  expect(results).toMatchObject([{ name: 'kept' }])
  await restored.stop()
})

test('the documented commands for one process rotate the keys', async () => {
  const [rotation = ''] = marked.filter((block) => block.includes('rotate-keys'))
  const before = readFileSync(join(dataDir, 'secret-keys'), 'utf8').trim()
  const { stdout } = await execute(rotation)
  expect(stdout).toMatch(/webhooks-svc: 1 rewritten, 0 had the newest key already/)
  const after = readFileSync(join(dataDir, 'secret-keys'), 'utf8').trim()
  expect(after).toMatch(/^k\d+:[A-Za-z0-9+/]{43}=$/)
  expect(after).not.toContain(before)
  const again = await runOps(dataDir, ['rotate-keys'])
  expect(again.out).toMatch(/webhooks-svc: 0 rewritten, 1 had/)
})

test('the documented commands list dead events and requeue them', async () => {
  const [dead = ''] = marked.filter((block) => block.includes('dead list'))
  const { stdout } = await execute(dead)
  for (const service of ['projects', 'annotations', 'jobs', 'webhooks']) {
    expect(stdout).toContain(`${service}-svc: 0 dead`)
    expect(stdout).toContain(`${service}-svc: 0 given back`)
  }
})

test('the documented command publishes events again', async () => {
  const [line = '', ...others] = marked.filter((block) => block.includes('republish'))
  expect(others).toEqual([line])
  const { stdout } = await execute(line)
  expect(stdout.match(/-svc: \d+ events go out again\n/g)).toHaveLength(4)
})

test('the upgrade command leaves a database of the current version unchanged', async () => {
  const [upgrade = ''] = marked.filter((block) => block.includes('upgrade-postgres'))
  expect((await execute(upgrade)).stdout).toMatch(/already: nothing to do\.\n$/)
})

test('every marked block is executed by a test', () => {
  expect(marked).toHaveLength(6)
})

/** npm scripts of the repository or of one workspace. */
const scriptsOf = (folder: string): Record<string, string> =>
  JSON.parse(read(join(folder, 'package.json'))).scripts

test.each(['README.md', 'CONTRIBUTING.md'])(
  'every documented npm command of %s exists',
  (document) => {
    for (const line of markedFor(document, self).join('').trim().split('\n')) {
      const words = /^npm (?:run )?([a-z:]+)(?: -w (\S+))?(?: +# .+)?$/.exec(line)
      const [, name = '', folder = '.'] = words ?? []
      const script = scriptsOf(folder)[name]
      expect(script, line).toBeDefined()
      for (const [path] of script?.matchAll(/\b(?:scripts|apps|tests)\/\S+/g) ?? [])
        expect(existsSync(join(root, path)), `${line}: ${path}`).toBe(true)
    }
  },
)

test('every ops command named by a document exists, with its options', () => {
  const { commands } = opsProgram(readConfig({}))
  for (const document of documents) {
    for (const [, words = ''] of read(document).matchAll(/npm run ops -- ([a-z][^`\n]*)/g)) {
      const command = commands.find(({ name }) => words === name || words.startsWith(`${name} `))
      expect(command, `${document}: npm run ops -- ${words}`).toBeDefined()
      for (const [, option = ''] of words.matchAll(/--([a-z-]+)/g))
        expect(command?.options, words).toHaveProperty([option])
    }
  }
})

test('every npm script named by a document exists', () => {
  const { scripts } = JSON.parse(read('package.json'))
  for (const document of documents) {
    for (const [, name = ''] of read(document).matchAll(/npm run ([a-z][a-z:-]*)/g))
      expect(scripts, `${document}: npm run ${name}`).toHaveProperty([name])
  }
})

test('every file named by a document exists', () => {
  for (const document of documents) {
    for (const [path] of read(document).matchAll(
      /\b(apps|packages|deploy|docs|scripts|tests|proto)\/[\w./-]*\w/g,
    )) {
      if (/NNNN|dist\/|^deploy\/reticle-/.test(path)) continue // generated files, or names in Kubernetes
      const isMade = path === 'deploy/.env'
      expect(isMade || existsSync(join(root, path)), `${document}: ${path}`).toBe(true)
    }
  }
})

test('every program that a documented command starts is built', () => {
  for (const document of documents) {
    const text = read(document)
    for (const [, path = ''] of text.matchAll(/node (apps\/[\w./-]+\.js)/g))
      expect(existsSync(join(root, path)), `${document}: ${path}`).toBe(true)
    if (/node dist\/admin\.js/.test(text)) {
      for (const service of ['projects', 'annotations', 'jobs', 'webhooks'])
        expect(existsSync(join(root, `apps/${service}-svc/dist/admin.js`))).toBe(true)
    }
  }
})

test('every alert has a section in the document', () => {
  const anchors = [...read('deploy/observability/alerts.yaml').matchAll(/operations\.md#(\S+)/g)]
  expect(anchors.length).toBeGreaterThan(5)
  const headings = [...operations.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  )
  for (const [, anchor] of anchors) expect(headings).toContain(anchor)
})

test('every setting in documented commands is read by a process', () => {
  const known = new Set(Object.values(settingsByProcess).flat())
  for (const document of documents) {
    for (const line of lines(read(document)))
      for (const [name] of line.matchAll(/\bRETICLE_[A-Z0-9_]+\b/g))
        if (!name.startsWith('RETICLE_TEST_')) expect(known, `${document}: ${line}`).toContain(name)
  }
})
