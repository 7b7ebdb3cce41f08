// Tamis for opencode: filters what tools put out. Put this file into ~/.config/opencode/plugins/ (all
// projects) or .opencode/plugins/ (one). If Tamis fails, the output stays as it is.
import { spawn } from "node:child_process"

const COMMAND = process.env.TAMIS_COMMAND || "@TAMIS@"
const DEADLINE_MS = 20000

function tamis(event) {
  return new Promise((resolve) => {
    const chunks = []
    const child = spawn(COMMAND, ["hook"], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), DEADLINE_MS)
    const end = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    child.on("error", () => end(undefined))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => chunks.push(chunk))
    child.on("close", (code) => {
      try {
        end(code === 0 && chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : undefined)
      } catch {
        end(undefined)
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Tamis = async () => ({
  "tool.execute.after": async (input, output) => {
    const { output: text, content, metadata } = output
    const { truncated, outputPath } = metadata ?? {}
    const answer = await tamis({
      tamis_plugin: "opencode",
      hook_event_name: "tool.execute.after",
      session_id: input.sessionID,
      tool_name: input.tool,
      tool_input: input.args ?? {},
      tool_response: { output: text, content, metadata: { truncated, outputPath } },
    })
    if (typeof answer?.output === "string") output.output = answer.output
    if (Array.isArray(answer?.content)) output.content = answer.content
  },
})
