import { parentPort, workerData } from 'node:worker_threads'
import { notFound } from '../errors.ts'

/** Says what it was given, and a word that it can only know by importing other sources. */
parentPort?.postMessage({ ...workerData.data, code: notFound().code })
