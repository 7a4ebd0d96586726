import { randomBytes } from 'node:crypto'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { azureAnswers } from './answers.ts'
import { ensureCached, versionOf } from './cache.mjs'
import { makePart, type OnExit, type ServerPart } from './part.ts'
import { freePort } from './ports.ts'
import { readOrCreateSecret } from './secret-file.ts'
import { reportProgress, runTool } from './tools.mjs'

const source = fileURLToPath(new URL('../azurite', import.meta.url))
const pins = ['package.json', 'package-lock.json']
const account = 'reticle'

/** Azurite, an emulator of Azure's blob storage from npm: a third-party container for tests, not part of any image. */
export async function azuritePart(
  folder: string,
  logs: string,
  onGone?: OnExit,
): Promise<ServerPart> {
  const program = await azuriteProgram()
  const data = join(folder, 'data')
  await mkdir(data, { recursive: true })
  const key = await readOrCreateSecret(join(folder, 'account-key'), () =>
    randomBytes(64).toString('base64'),
  )
  let port = 0
  const connection = () =>
    [
      `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key}`,
      `BlobEndpoint=http://127.0.0.1:${port}/${account}`,
    ].join(';')
  return makePart({
    name: 'azurite',
    logs,
    onGone,
    choosePorts: async () => {
      port = await freePort()
    },
    command: () => ({
      command: process.execPath,
      args: [
        program,
        ...['--blobHost', '127.0.0.1', '--blobPort', String(port), '--location', data],
        ...['--silent', '--skipApiVersionCheck', '--disableTelemetry'],
      ],
      env: { AZURITE_ACCOUNTS: `${account}:${key}` },
    }),
    isReady: () => azureAnswers(connection()),
    env: () => ({ RETICLE_TEST_AZURE_CONNECTION: connection() }),
  })
}

async function azuriteProgram(): Promise<string> {
  const version = versionOf('3', ...pins.map((pin) => join(source, pin)))
  const folder = await ensureCached('azurite', version, (half) =>
    reportProgress('Installing Azurite (once)', async () => {
      for (const pin of pins) await copyFile(join(source, pin), join(half, pin))
      await runTool('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: half })
    }),
  )
  return join(folder, 'node_modules/azurite/dist/src/blob/main.js')
}
