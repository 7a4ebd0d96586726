import { z } from 'zod'

/** Names of the members of a backup, in their order in the archive. */
export const layout = {
  manifest: 'manifest.json',
  keys: 'keys',
  tables: 'tables',
  sequences: 'sequences.json',
  objects: 'objects',
  checksums: 'checksums.json',
} as const

/** Format version that this program writes, and the newest that it can read. */
export const newestFormat = 1

const table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  /** Partitions that migrations do not create, for later days and months; a restore creates them. */
  partitions: z.array(z.object({ name: z.string(), bound: z.string() })),
})

/** Schema of the first member: the content of the backup and the program that can read it. */
export const manifest = z.object({
  format: z.number().int(),
  /** Version of the program that wrote the backup. */
  version: z.string(),
  created_date: z.string(),
  /** Major version of the database server. */
  postgres: z.number().int(),
  objects: z.enum(['included', 'outside']),
  schemas: z.array(
    z.object({ schema: z.string(), steps: z.array(z.string()), tables: z.array(table) }),
  ),
})
export type DumpManifest = z.infer<typeof manifest>
export type SchemaContent = DumpManifest['schemas'][number]
export type TableContent = z.infer<typeof table>

/** Schema of the last values of sequences: `{schema: {sequence: last value}}`. */
export const sequences = z.record(z.string(), z.record(z.string(), z.number().int()))
export type Sequences = z.infer<typeof sequences>

/** Schema of the last member; a backup without it is truncated. The `sha256` of a table is that of its rows as text. */
export const checksums = z.object({
  tables: z.record(z.string(), z.object({ rows: z.number().int(), sha256: z.string() })),
  /** `sha256` of the lines `<sha256> <bytes> <key>` of all objects, in the order of the archive. */
  objects: z.object({ count: z.number().int(), bytes: z.number().int(), sha256: z.string() }),
})
export type Checksums = z.infer<typeof checksums>
