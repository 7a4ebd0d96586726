import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../support/root.ts'

/** A TypeScript file of the repository, as text. */
export interface RepositoryFile {
  /** Path from the root: `apps/gateway/src/operations/serve.ts`. */
  path: string
  /** Folder with import rules: `apps/gateway`, `packages/kit`, `tests`, `scripts`. */
  room: string
  text: string
  lines: string[]
  isTest: boolean
}

export interface Import {
  source: RepositoryFile
  line: number
  /** Specifier as written: `@reticle/kit/call/errors`, `./repo.ts`, `node:fs`. */
  name: string
  /** Loaded before the file runs: neither a type import nor an `import()`. */
  isLoaded: boolean
}

const skipped = new Set(['node_modules', 'dist', '.turbo'])

export function readSources(): RepositoryFile[] {
  const packages = ['apps', 'packages', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  )
  return [...packages, 'tests', 'scripts', 'deploy'].flatMap((room) =>
    filesBelow(room).map((path) => readSource(room, path)),
  )
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path)
    return /\.(tsx?|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : []
  })
}

function readSource(room: string, path: string): RepositoryFile {
  const text = readFileSync(join(root, path), 'utf8')
  const isTest = /\.test\.ts$|\/testing(\/|\.ts$)|\/contract\.ts$/.test(path)
  return { path, room, text, lines: text.split('\n'), isTest }
}

const name = "'([@.\\w][^'\\s]*)'"
const importing = new RegExp(
  `^(?:import|export)\\b[^'"\`;=]*?\\bfrom ${name}|^import ${name}|\\bimport\\(${name}\\)`,
  'gm',
)

/** Returns every import, re-export and dynamic import with its line. */
export function importsOf(source: RepositoryFile): Import[] {
  const text = source.text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, (comment) =>
    comment.replace(/[^\n]/g, ' '),
  )
  return [...text.matchAll(importing)].map((found) => {
    const end = (found.index ?? 0) + found[0].length
    const line = text.slice(0, end).split('\n').length
    const isLoaded = found[3] === undefined && !/^\w+ type\b/.test(found[0])
    return { source, line, name: found[1] ?? found[2] ?? found[3] ?? '', isLoaded }
  })
}

const loadsMore = ({ isLoaded, name }: Import) => isLoaded && !name.endsWith('.json')

/** Returns the libraries loaded with a file, directly or through files of the repository. */
export function librariesOf(path: string, sources: readonly RepositoryFile[]): Set<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const libraries = new Set<string>()
  const seen = new Set([path])
  for (const one of seen) {
    const source = byPath.get(one)
    if (!source) throw new Error(`${one} is imported but does not exist`)
    for (const { name } of importsOf(source).filter(loadsMore)) {
      if (name.startsWith('.')) seen.add(join(dirname(one), name))
      else if (name.startsWith('@reticle/')) seen.add(pathOf(name))
      else if (!name.startsWith('node:'))
        libraries.add(name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? name)
    }
  }
  return libraries
}

/**
 * Returns the files of the repository that a file imports, directly and through others, with itself. Imports of types
 * count.
 */
export function filesReachedFrom(path: string, sources: readonly RepositoryFile[]): Set<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const seen = new Set([path])
  for (const one of seen) {
    const source = byPath.get(one)
    for (const target of source ? filesImportedBy(source) : []) seen.add(target)
  }
  return seen
}

/** Returns the files of the repository that a file imports directly. */
export function filesImportedBy(source: RepositoryFile): string[] {
  return importsOf(source).flatMap(({ name }) => {
    if (name.startsWith('.')) return [join(dirname(source.path), name)]
    return name.startsWith('@reticle/') ? [pathOf(name)] : []
  })
}

/** Resolves `@reticle/kit/call/errors` to `packages/kit/src/call/errors.ts`, as package.json defines. */
function pathOf(name: string): string {
  const [, folder, ...rest] = name.split('/')
  return `packages/${folder}/src/${rest.join('/') || 'index'}.ts`
}

/** Returns the lines of the text without comments. */
export function codeOf({ text }: RepositoryFile): string[] {
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
  return bare.split('\n').map((line) => line.replace(/(^|\s)\/\/ .*$/, ''))
}

export interface FunctionBlock {
  line: number
  /** Number of lines that are not blank. */
  length: number
  head: string
}

const opensFunction = /(=>|\)(: [^=]+)?|\bfunction\b.*) \{$/
const isControl = /^\s*(\} )?(if|else|for|while|switch|catch|try|do|finally)\b/

/**
 * Finds functions by line and length. Sources are formatted, so a body ends at the first closing brace with the
 * indentation of its head.
 */
export function functionsOf({ lines }: RepositoryFile): FunctionBlock[] {
  return lines.flatMap((head, index) => {
    if (!opensFunction.test(head) || isControl.test(head)) return []
    const indent = head.match(/^\s*/)?.[0] ?? ''
    const end = lines.findIndex((line, at) => at > index && line.startsWith(`${indent}}`))
    const body = lines.slice(index, end + 1).filter((line) => line.trim() !== '')
    return end < 0 ? [] : [{ line: index + 1, length: body.length, head: head.trim() }]
  })
}

/** Finds import cycles; of those that share an end, only one. */
export function circlesOf(next: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start >= 0) circles.push([...way.slice(start), path].join(' -> '))
    if (start >= 0 || done.has(path)) return
    for (const target of next.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of next.keys()) visit(path, [])
  return circles
}
