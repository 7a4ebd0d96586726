import { z } from 'zod'

/** What a backup is made of; the members of an archive come in this order. */
export const layout = {
  manifest: 'manifest.json',
  keys: 'keys',
  tables: 'tables',
  sequences: 'sequences.json',
  objects: 'objects',
  checksums: 'checksums.json',
} as const

/** The form of backups that this program writes, and the newest that it reads. */
export const newestFormat = 1

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  /** Made again where migrations do not make them: days and months that came since. */
  partitions: z.array(z.object({ name: z.string(), bound: z.string() })),
})

/** The first member: what is inside and which program can read it. */
export const manifest = z.object({
  format: z.number().int(),
  /** Of the program that wrote it. */
  version: z.string(),
  created_date: z.string(),
  /** Major version of the server. */
  postgres: z.number().int(),
  objects: z.enum(['included', 'outside']),
  schemas: z.array(
    z.object({ schema: z.string(), steps: z.array(z.string()), tables: z.array(table) }),
  ),
})
export type Manifest = z.infer<typeof manifest>
export type SchemaContent = Manifest['schemas'][number]
export type TableContent = z.infer<typeof table>

/** How far each counter of a schema has come: `{schema: {sequence: last value}}`. */
export const sequences = z.record(z.string(), z.record(z.string(), z.number().int()))
export type Sequences = z.infer<typeof sequences>

/** The last member: without it a backup was cut off. `sha256` of a table is that of its rows as text. */
export const checksums = z.object({
  tables: z.record(z.string(), z.object({ rows: z.number().int(), sha256: z.string() })),
  /** `sha256` of a line `<sha256> <bytes> <key>` an object, in the order of the archive. */
  objects: z.object({ count: z.number().int(), bytes: z.number().int(), sha256: z.string() }),
})
export type Checksums = z.infer<typeof checksums>
