import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fillVariables, readDockerfile, readIgnore } from './dockerfile.mjs'

/**
 * Runs the Dockerfile without a container engine: every COPY and RUN, each stage in a separate folder, and then the
 * program of the image, as the user of the image. Base images are not used, so programs come from this machine.
 *
 * node deploy/docker/dry-run.mjs [APP ...]      all apps by default
 */

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
const isSent = readIgnore(here('Dockerfile.dockerignore'))
const { args, stages } = readDockerfile(here('Dockerfile'))
const stageNamed = (name) => stages.find((stage) => stage.name === name)

const named = process.argv.slice(2)
const apps = stages.flatMap(({ name }) => /^base-(.+)$/.exec(name)?.[1] ?? [])
const unknown = named.filter((app) => !apps.includes(app))
if (unknown.length > 0) throw new Error(`No such app: ${unknown}. There are: ${apps.join(', ')}`)

const scratch = await mkdtemp(join(tmpdir(), 'reticle-image-'))
try {
  await chmod(scratch, 0o755)
  await timed('build', () => runStage(stageNamed('build'), {}))
  for (const app of named.length > 0 ? named : apps) {
    await timed(app, async () => {
      await runStage(stageNamed('app'), { APP: app })
      const image = await runStage(stageNamed('final'), { APP: app })
      await check(image, app)
    })
    for (const name of ['app', 'final']) await rm(join(scratch, name), { recursive: true })
  }
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function timed(name, work) {
  const began = Date.now()
  await work()
  print(`${name}: ${Math.round((Date.now() - began) / 1000)} s`)
}

/** @returns the folder of the stage, and the environment that its steps have set */
async function runStage({ name, steps }, given) {
  const image = { folder: join(scratch, name), workdir: '/', env: {}, values: { ...given } }
  await mkdir(image.folder)
  for (const step of steps) await runStep(image, step)
  return image
}

async function runStep(image, { word, flags, text: raw }) {
  const text = word === 'RUN' ? raw : fillVariables(raw, { ...args, ...image.values })
  const inside = () => join(image.folder, image.workdir)
  if (word === 'WORKDIR') {
    image.workdir = text
    await mkdir(inside(), { recursive: true })
  } else if (word === 'COPY') {
    await copy(text.split(/\s+/), flags.from, inside(), image)
  } else if (word === 'RUN') {
    await shell(text, inside(), image.values)
  } else if (word === 'ENV') {
    Object.assign(
      image.env,
      Object.fromEntries(text.split(/\s+/).map((pair) => pair.split(/=(.*)/))),
    )
  } else if (word === 'USER') {
    image.user = Number(text.split(':')[0])
  } else if (word === 'CMD' || word === 'ENTRYPOINT') {
    image[word] = JSON.parse(text)
  }
}

async function copy(parts, from, workdir, { folder }) {
  const target = parts.at(-1)
  const sources = parts.slice(0, -1)
  const base = from ? join(scratch, from) : root
  const into = target.startsWith('/') ? join(folder, target) : join(workdir, target)
  const isFolder = target.endsWith('/') || sources.length > 1
  const filter = from ? undefined : (path) => isSent(relative(root, path))
  for (const source of sources) {
    if (!from && !isSent(source))
      throw new Error(`COPY ${source}: Dockerfile.dockerignore excludes it`)
    const to = isFolder ? join(into, basename(source)) : into
    await cp(join(base, source), to, { recursive: true, verbatimSymlinks: true, filter })
  }
}

async function shell(command, cwd, values) {
  const env = { ...process.env, ...values, npm_config_prefer_offline: 'true' }
  const { code, text } = await run('sh', ['-ec', command], { cwd, env })
  if (code !== 0) throw new Error(`RUN ${command}\nexit code ${code}\n${text}`)
}

/**
 * Checks that the programs start, accept their settings and find the protocol files; without settings they must report
 * the missing ones.
 */
async function check(image, app) {
  const programs = app === 'jobs-svc' ? [image.CMD, ['dist/worker.js']] : [image.CMD]
  for (const program of programs) {
    await expect(image, [...program, '--help'], 0, /RETICLE_METRICS_PORT/)
    await expect(image, program, 1, /^These settings cannot be used:\n {2}RETICLE_/)
  }
  const protos = `const { loadProtos } = await import('@reticle/contracts/grpc/load')
    console.log(Object.keys(loadProtos()).length)`
  await expect(image, ['--input-type=module', '-e', protos], 0, /^\d+\n$/)
  const libraries = await readdir(join(image.folder, 'app/node_modules'))
  const forbidden = [
    'typescript',
    'vitest',
    'turbo',
    '@biomejs',
    'testcontainers',
    'tsx',
    'node-av',
    '@seydx',
    'react',
    'vite',
    'rolldown',
  ]
  const found = libraries.filter((name) => forbidden.includes(name))
  if (found.length > 0) throw new Error(`${app}: development only: ${found.join(', ')}`)
  const others = (await readdir(join(image.folder, 'app/apps'))).filter((name) => name !== app)
  const expected = app === 'gateway' ? 'console' : ''
  if (others.join() !== expected) throw new Error(`${app}: comes with ${others || 'no console'}`)
  if (expected && !existsSync(join(image.folder, 'app/apps/console/dist/index.html')))
    throw new Error(`${app}: the console is not built`)
  print(`${app}: ${await megabytes(join(image.folder, 'app'))} MB, ${libraries.length} libraries`)
}

async function expect({ folder, workdir, env, user, ENTRYPOINT }, words, expected, pattern) {
  const drop = process.getuid?.() === 0 ? { uid: user, gid: user } : {}
  const [node, ...first] = ENTRYPOINT
  const { code, text } = await run(node, [...first, ...words], {
    cwd: join(folder, workdir),
    env: { ...env, PATH: process.env.PATH },
    ...drop,
  })
  if (code === expected && pattern.test(text)) return
  throw new Error(
    `${words.join(' ')}: exit code ${code}, expected ${expected} and ${pattern}\n${text}`,
  )
}

async function run(command, words, options) {
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const pieces = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => pieces.push(piece))
  const [code] = await once(child, 'close')
  return { code, text: Buffer.concat(pieces).toString() }
}

async function megabytes(folder) {
  const { text } = await run('du', ['-sm', folder], {})
  return Number.parseInt(text, 10)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
