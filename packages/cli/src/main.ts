#!/usr/bin/env node
import { apiVersion } from '@reticle/sdk'
import { Command } from 'commander'

await new Command('reticle').version(apiVersion).parseAsync()
