/**
 * Patterns that the checker does not pass, each reviewed by a person, with the reason why no input can make it slow.
 * Prefer a pattern that passes, or parsing without a pattern, over a new entry.
 */
export interface PatternException {
  /** File of the pattern, without the line. */
  path: string
  /** The pattern as written, from the first slash to the flags. */
  text: string
  why: string
}

const ofRepository = 'the text is a file of this repository'

export const exceptions: readonly PatternException[] = [
  {
    path: 'apps/console/licences.ts',
    text: String.raw`/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/`,
    why: 'the text is the path of a module, while the console is built',
  },
  {
    path: 'apps/gateway/src/reference/html.ts',
    text: String.raw`/\{\s*&quot;\$ref&quot;:\s*&quot;#\/components\/schemas\/(\w+)&quot;\s*\}/g`,
    why: 'the text is a shape of our own OpenAPI document',
  },
  {
    path: 'apps/projects-svc/src/config.ts',
    text: String.raw`/^(?:(?<name>[^<>"\p{C}]{0,100}) <(?<address>[^\s<>@\p{C}]+@[^\s<>@\p{C}]+)>|(?<bare>[^\s<>@\p{C}]+@[^\s<>@\p{C}]+))$/u`,
    why: 'the text is a setting of the operator',
  },
  {
    path: 'apps/projects-svc/src/labels/drawing.ts',
    text: String.raw`/<([a-zA-Z][\w:-]{0,40})((?:[^<>"']|"[^"]*"|'[^']*')*)>/g`,
    why: 'its alternatives begin with different characters; a drawing has 512 KiB at most, and drawing.test.ts measures it',
  },
  {
    path: 'deploy/docker/dockerfile.mjs',
    text: String.raw`/^\s*#.*\n/gm`,
    why: ofRepository,
  },
  {
    path: 'deploy/docker/dockerfile.mjs',
    text: String.raw`/^(\S+)\s+((?:--\S+\s+)*)(.*)$/`,
    why: ofRepository,
  },
  {
    path: 'packages/kit/src/rpc/wire/proto-files.ts',
    text: String.raw`/^message (\w+) \{\n([^}]*)^\}/gm`,
    why: ofRepository,
  },
  {
    path: 'packages/kit/src/rpc/wire/proto-files.ts',
    text: String.raw`/(\w+) = (\d+);/g`,
    why: ofRepository,
  },
  {
    path: 'packages/kit/src/db/row-types.ts',
    text: `/'((?:[^']|'')*)'::/g`,
    why: 'the text is a check constraint of our own migrations',
  },
  {
    path: 'scripts/migration.mjs',
    text: String.raw`/export const migrations(: Migrations)? = \{([^}]*)\}/`,
    why: ofRepository,
  },
  {
    path: 'scripts/migration.mjs',
    text: String.raw`/^import .* from '\.\/.*'\n/gm`,
    why: ofRepository,
  },
]

/** Number of patterns per file that are built at run time, with the reason. The checker cannot read them. */
export const dynamic: Readonly<Record<string, { count: number; why: string }>> = {
  'deploy/docker/dockerfile.mjs': {
    count: 1,
    why: 'pattern and text are files of this repository',
  },
  'packages/formats/src/xml/escape.ts': { count: 3, why: 'each is one class of characters' },
}
