import { spawn } from 'node:child_process'

/** Runs a program in the foreground: with this process's output, signals and exit code. */
export function runInForeground(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'inherit', ...options })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(error.message)
      resolve(1)
    })
    child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}
