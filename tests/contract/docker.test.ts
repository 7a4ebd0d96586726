import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'

/** The image of every app, checked as text; `deploy/docker/dry-run.mjs` runs its commands. */

const lines = readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8').split('\n')
const after = (word: string) =>
  lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []))
/** Apps without an image: the single command, and the pages that the gateway serves. */
const parts = ['standalone', 'console']
const apps = readdirSync(join(root, 'apps')).filter((app) => !parts.includes(app))

test('every app has a base image and is compiled', () => {
  const bases = after('FROM').flatMap((line) => / AS base-(.+)$/.exec(line)?.[1] ?? [])
  expect(bases.sort()).toEqual(apps.sort())
  const compiled = after('RUN').find((command) => command.includes('tsc -b'))
  expect(compiled?.split(' ').slice(3).sort()).toEqual(apps.map((app) => `apps/${app}`).sort())
})

test('the console is built, and gets into the image of the gateway as a dependency', () => {
  expect(after('RUN')).toContain('npm run build --workspace=@reticle/console')
  const packageOf = (app: string) =>
    JSON.parse(readFileSync(join(root, `apps/${app}/package.json`), 'utf8'))
  const depending = apps.filter((app) => '@reticle/console' in packageOf(app).dependencies)
  expect(depending).toEqual(['gateway'])
  expect(packageOf('console').dependencies).toBeUndefined() // its bundle contains its libraries
  expect(packageOf('console').files).toEqual(['dist'])
})

test('images run as an unprivileged user and start only Node.js', () => {
  const final = lines.slice(lines.findIndex((line) => line.endsWith(' AS final')))
  expect(final).toContain('USER 10001:10001')
  expect(final).toContain('ENTRYPOINT ["node"]')
  expect(final.filter((line) => line.startsWith('RUN'))).toEqual([])
})

test('base images are named by tag, so that they can be pinned by digest', () => {
  const images = after('ARG').flatMap((line) => /_IMAGE=(.+)$/.exec(line)?.[1] ?? [])
  expect(images).toHaveLength(3)
  expect(images.filter((image) => !/:[\w.-]+$/.test(image) || /latest/.test(image))).toEqual([])
})

test('every workspace of the lockfile is copied, because npm ci would fail otherwise', () => {
  const tools = readdirSync(join(root, 'tools')).map((name) => `tools/${name}/package.json`)
  const workspaces = ['packages', 'apps', 'tests', 'scripts/package.json', ...tools]
  const copied = after('COPY').join('\n')
  expect(workspaces.filter((folder) => !copied.includes(folder))).toEqual([])
})
