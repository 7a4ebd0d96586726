import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'
import type { Operations } from '@reticle/contracts/api/operation'
import { protoFiles } from '../rpc/wire/proto-files.ts'

/** Generates the `.proto` files of a table of a test, and loads them with the options of `contracts/grpc/load`. */
export function protosOf(table: Operations): PackageDefinition {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-protos-'))
  try {
    const files = protoFiles({ table }, {})
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return loadSync(Object.keys(files), { includeDirs: [folder], keepCase: true, longs: Number })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
