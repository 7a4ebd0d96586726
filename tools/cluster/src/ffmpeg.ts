import { chmod, copyFile, link, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureCached, versionOf } from './cache.mjs'
import { reportProgress, runTool } from './tools.mjs'

const source = fileURLToPath(new URL('../ffmpeg', import.meta.url))
const pins = ['package.json', 'package-lock.json']

/**
 * Installs old FFmpeg programs from npm in one folder, only for tests that decode videos encoded by tests.
 *
 * @returns the path of ffmpeg
 */
export async function ffmpegProgram(): Promise<string> {
  const version = versionOf('4.1', ...pins.map((pin) => join(source, pin)))
  const folder = await ensureCached('ffmpeg', version, (half) =>
    reportProgress('Installing FFmpeg (once)', async () => {
      for (const pin of pins) await copyFile(join(source, pin), join(half, pin))
      await runTool('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: half })
      await sideBySide(half)
    }),
  )
  return join(folder, 'bin/ffmpeg')
}

/** The programs come in separate packages, one of them not executable. */
async function sideBySide(folder: string): Promise<void> {
  const require = createRequire(join(folder, 'package.json'))
  const here = `${process.platform}-${process.arch}`
  await mkdir(join(folder, 'bin'))
  for (const name of ['ffmpeg', 'ffprobe']) {
    const program = require.resolve(`@${name}-installer/${here}/${name}`)
    await chmod(program, 0o755)
    await link(program, join(folder, 'bin', name))
  }
}
