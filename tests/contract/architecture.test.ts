import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { restOperations } from '@reticle/contracts/api/index'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'
import { notForGateway, orders, otherFilesWithSql, type Room, rooms, sealed } from './rooms.ts'
import {
  circlesOf,
  codeOf,
  functionsOf,
  type Import,
  importsOf,
  librariesOf,
  type RepositoryFile,
  readSources,
} from './sources.ts'

/**
 * Rules of the architecture: imports between folders, and sizes of files and functions. Failures name file and line.
 */

const sources = readSources()
const imports = sources.flatMap(importsOf)
const at = ({ source, line, name }: Import) => `${source.path}:${line} imports ${name}`
const begins = (name: string) => (allowed: string) =>
  name === allowed || name.startsWith(allowed.endsWith('/') ? allowed : `${allowed}/`)
const isRelative = ({ name }: Import) => name.startsWith('.')

test('every folder of apps and packages has import rules', () => {
  const unknown = sources.filter(({ room }) => !(room in rooms)).map(({ room }) => room)
  expect([...new Set(unknown)]).toEqual([])
})

test.each(Object.entries(rooms))('%s imports only what its rules allow', (name, room) => {
  const libraries = room.libraries
  const isAllowed = (one: Import) => {
    const { isTest } = one.source
    if (one.name.startsWith('node:')) return mayUseNode(room, one.source) || isTest
    if (one.name.startsWith('@reticle/'))
      return room.own.some(begins(one.name)) || (isTest && one.name.startsWith('@reticle/kit/'))
    return isTest || libraries === 'any' || libraries.some(begins(one.name))
  }
  const own = imports.filter((one) => one.source.room === name && !isRelative(one))
  expect(own.filter((one) => !isAllowed(one)).map(at)).toEqual([])
})

const mayUseNode = ({ usesNode }: Room, { path }: RepositoryFile) =>
  typeof usesNode === 'boolean' ? usesNode : usesNode.some((part) => path.endsWith(part))

test('only standalone imports apps, and only through their entry points', () => {
  const apps = /^@reticle\/(gateway|\w+-svc)\//
  expect(imports.filter(({ name }) => apps.test(name)).map(at)).toEqual([])
})

test('the gateway has no database and no bus', () => {
  const gateway = imports.filter(({ source }) => source.room === 'apps/gateway')
  expect(gateway.filter(({ name }) => notForGateway.some(begins(name))).map(at)).toEqual([])
})

test.each([
  ['gateway', ['pg', 'kysely', 'kafkajs', 'sharp']],
  ['annotations-svc', ['minio', 'sharp']],
  ['webhooks-svc', ['minio', 'sharp']],
])('%s loads no library that it does not use, not even indirectly', (app, useless) => {
  const loaded = librariesOf(`apps/${app}/src/main.ts`, sources)
  expect(useless.filter((library) => loaded.has(library))).toEqual([])
  expect(loaded).toContain('pino')
})

test('relative imports end in .ts, stay in their package and do not climb far', () => {
  const wrong = imports.filter(isRelative).filter(({ source, name }) => {
    const target = join(dirname(source.path), name)
    const isInside = target.startsWith(`${source.room}/`)
    return !/\.(tsx?|mjs|css|json)$/.test(name) || !isInside || name.startsWith('../../../')
  })
  expect(wrong.map(at)).toEqual([])
})

test.each(sealed)('%s is imported only through its index file', (folder) => {
  const inside = `apps/projects-svc/src/${folder}/`
  const wrong = imports.filter(isRelative).filter(({ source, name }) => {
    if (source.path.startsWith(inside)) return false
    const target = join(dirname(source.path), name)
    return target.startsWith(inside) && target !== `${inside}index.ts`
  })
  expect(wrong.map(at)).toEqual([])
})

/** First folder below `src/` of an app or package, or the name of a file beside the folders. */
const firstOf = (path: string) => path.match(/^(?:apps|packages)\/[^/]+\/src\/([^/]+)/)?.[1] ?? ''
const inOrder = sources.filter(
  ({ path, isTest }) => firstOf(path) && !isTest && !path.includes('/db/migrations/'),
)

test('every app and package with folders lists each of them in its order', () => {
  const inFolders = inOrder.filter(({ room, path }) => dirname(path) !== `${room}/src`)
  const missing = inFolders
    .filter(({ room, path }) => !orders[room]?.includes(firstOf(path)))
    .map(({ room, path }) => `${room} does not list ${firstOf(path)}`)
  expect([...new Set(missing)]).toEqual([])
})

test('orders list each name once, and only folders and files that exist', () => {
  const listed = Object.entries(orders).flatMap(([room, order]) =>
    order.map((name) => `${room}/src/${name}`),
  )
  expect(
    listed.filter((name, at) => !existsSync(join(root, name)) || listed.indexOf(name) !== at),
  ).toEqual([])
})

test.each(Object.entries(orders))('folders of %s import in one direction', (room, order) => {
  const top = order.length
  const placeOf = (path: string) => {
    const place = order.indexOf(firstOf(path))
    return place < 0 ? top : place
  }
  const own = inOrder.filter((source) => source.room === room).flatMap(importsOf)
  const wrong = own
    .filter(isRelative)
    .filter(({ source, name }) => placeOf(join(dirname(source.path), name)) > placeOf(source.path))
  expect(wrong.map(at)).toEqual([])
})

test('no file imports itself through others', () => {
  const next = new Map<string, string[]>()
  for (const { source, name } of imports.filter(isRelative)) {
    const target = join(dirname(source.path), name)
    next.set(source.path, [...(next.get(source.path) ?? []), target])
  }
  expect(circlesOf(next)).toEqual([])
})

test('policies import only rules and types', () => {
  const inPolicies = imports.filter(({ source }) => /[/-]policy\.ts$/.test(source.path))
  const wrong = inPolicies.filter(
    ({ source, name }) =>
      source.room.startsWith('apps/') &&
      name !== '@reticle/kit' &&
      !['@reticle/kit/call/policy', '@reticle/contracts'].some(begins(name)) &&
      !/[/-]policy\.ts$/.test(name),
  )
  expect(wrong.map(at)).toEqual([])
})

/** Files for SQL: the repository of a resource, its list, the schema, and a folder of statements. */
const mayHaveSql = /\/(repo(-[\w-]+)?|list)\.ts$|\/(db|store)\//
const sqlText =
  /\.(selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(|\bsql(<[^>]*>)?`|\binsert into \w|\bdelete from \w|\bupdate \S+ (as \w+ )?set\b|\bselect\s[^;'"]*\sfrom\s/

test('only repo*.ts, list.ts, db/ and store/ contain SQL', () => {
  const known = Object.entries(otherFilesWithSql).flatMap(([room, files]) =>
    files.map((file) => `${room}/src/${file}`),
  )
  const found = sources
    .filter(({ path, isTest }) => /^apps\/.*\/src\//.test(path) && !isTest)
    .filter((source) => !mayHaveSql.test(source.path) && sqlText.test(codeOf(source).join('\n')))
    .map(({ path }) => path)
  expect(found.sort()).toEqual(known.sort())
})

test('functions that lock rows take a transaction, since a lock ends with its transaction', () => {
  const wrong = sources
    .filter(({ path }) => path.startsWith('apps/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bfunction lock\w+\(\s*db\b/g)].map(([head]) => `${path}: ${head}`),
    )
  expect(wrong).toEqual([])
})

test('only config.ts reads the environment', () => {
  const wrong = sources
    .filter(({ room, path }) => /^(apps|packages)\//.test(room) && !path.endsWith('/config.ts'))
    .flatMap((source) => linesWith(/\bprocess\.env\b/, source.path, codeOf(source)))
  expect(wrong).toEqual([])
})

/**
 * Functions that open connections, and the files that may call them. Other connections go to addresses of the operator.
 * See docs/spec/reliability.md#outgoing-calls.
 */
const waysOut: [string, RegExp, RegExp][] = [
  ['undici', /'undici'/, /^packages\/kit\/src\/outgoing\/(fetch|download)\.ts$/],
  // Addresses of Google. A key file with other addresses is refused.
  [
    'fetch',
    /(?<![.\w])fetch\(|globalThis\.fetch/,
    /^packages\/kit\/src\/bucket\/google\.ts$|^packages\/sdk\/src\/http\/settings\.ts$/,
  ],
  [
    'clients of HTTP',
    /import (?!type\b)([^'"]*\b(request|get|Agent)\b[^'"]*|\w+ )from 'node:http'|'node:(https|http2)'/,
    /^packages\/kit\/src\/(outgoing\/(agent|tunnel)|blob\/s3\/client)\.ts$/,
  ],
  [
    'sockets',
    /import (?!type\b)([^'"]*\b(connect|createConnection)\b[^'"]*|\w+ )from 'node:(net|tls)'|'node:dgram'/,
    /^packages\/kit\/src\/outgoing\/agent\.ts$/,
  ],
  [
    'libraries of object stores',
    /'(minio|@azure\/storage-blob|@google-cloud\/storage)'/,
    /^packages\/kit\/src\/(blob\/s3\.ts|blob\/s3\/.*|bucket\/(s3|azure|google)\.ts)$/,
  ],
]

test.each(waysOut)(
  '%s is used only by files that check addresses of users, or that call none',
  (_, way, who) => {
    const wrong = sources
      .filter(({ room, isTest }) => /^(apps|packages)\//.test(room) && !isTest)
      .filter((source) => !who.test(source.path) && way.test(codeOf(source).join('\n')))
    expect(wrong.map(({ path }) => path)).toEqual([])
  },
)

test('kit contains no term of the domain', () => {
  const words = /project|annotation|dataset|webhook|(?<!spec\/\S*)\btasks?\b|\bjobs?\b|skeleton/i
  const wrong = sources
    .filter(({ room, isTest }) => room === 'packages/kit' && !isTest)
    .flatMap((source) => linesWith(words, source.path, codeOf(source)))
  expect(wrong).toEqual([])
})

test('serve.ts, read.ts and present.ts name no operation', () => {
  const names = restOperations.flatMap(({ name, rpc }) => [name, rpc])
  const named = new RegExp(`\\b(${names.join('|')})\\b`)
  const wrong = sources
    .filter(({ path }) =>
      /^apps\/gateway\/src\/(operations\/(serve|read)|responses\/present)\.ts$/.test(path),
    )
    .flatMap((source) => linesWith(named, source.path, codeOf(source)))
  expect(wrong).toEqual([])
})

test('files have at most 400 lines', () => {
  const long = sources.filter(({ path, lines }) => lines.length > 401 && !isGenerated(path))
  expect(long.map(({ path, lines }) => `${path} has ${lines.length - 1}`)).toEqual([])
})

test('functions have at most 60 lines', () => {
  const long = sources
    .filter(({ isTest, room }) => !isTest && room !== 'tests' && room !== 'tools/bench')
    .flatMap((source) =>
      functionsOf(source)
        .filter(({ length }) => length > 60)
        .map(({ line, length, head }) => `${source.path}:${line} has ${length}: ${head}`),
    )
  const full =
    'where handlers have filled their factory, move the work of the longest to a function of its own (tasks/create.ts)'
  expect(long, full).toEqual([])
})

test('files have kebab-case names that describe their contents', () => {
  const names = sources.map(({ path }) => path)
  const vague = /\/(utils?|helpers?|types|common|misc|shared)(\.tsx?|\/)/
  const wrong = names.filter(
    (path) =>
      (vague.test(path) && path !== 'packages/contracts/src/rest/common.ts') ||
      !/^[a-z0-9-]+(\.cluster)?(\.(test|config|fixture))?\.(tsx?|mjs)$/.test(
        path.split('/').at(-1) ?? '',
      ),
  )
  expect(wrong).toEqual([])
})

test('index.ts is an entry point or the list of migrations', () => {
  const doors = sources.map(({ path }) => path).filter((path) => path.endsWith('/index.ts'))
  const allowed =
    /\/src\/index\.ts$|\/migrations\/index\.ts$|\/src\/(identity|organizations)\/index\.ts$|contracts\/src\/api\/index\.ts$/
  expect(doors.filter((path) => !allowed.test(path))).toEqual([])
})

test.each([
  ['kit', /^packages\/kit\/src\/.+\//, 8],
  ['a service', /^apps\/\w+-svc\/src\/(?!db\/migrations\/).+\//, 15], // the number of migrations only grows
] as const)('a folder of %s has a limited number of files', (_, inside, most) => {
  const folders = sources
    .filter(({ path, isTest }) => inside.test(path) && !isTest)
    .map(({ path }) => dirname(path))
  const full = [...new Set(folders)].filter(
    (folder) => folders.filter((one) => one === folder).length > most,
  )
  expect(full).toEqual([])
})

const isGenerated = (path: string) => /\/db\/schema\.ts$|\/generated\//.test(path)

function linesWith(pattern: RegExp, path: string, lines: string[]): string[] {
  return lines.flatMap((line, index) =>
    pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
  )
}
