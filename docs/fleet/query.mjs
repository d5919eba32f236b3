#!/usr/bin/env node
// Reads the shards of a fleet with DuckDB: query.mjs OUT. Makes OUT/samples.parquet of OUT/*.jsonl, and prints the samples
// and periods of each event from both. THREADS is the number of threads. It needs npm's @duckdb/node-api in the current
// directory: npm install @duckdb/node-api.
import { createRequire } from "node:module";
import { renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const { DuckDBInstance } = createRequire(join(process.cwd(), "x.js"))("@duckdb/node-api");
const out = resolve(process.argv[2] ?? ".");
const text = (path) => `'${path.replaceAll("'", "''")}'`;
// With a schema, nothing is guessed from the first lines. Numbers that need 64 bits without a sign are UBIGINT.
const columns = `{file: 'VARCHAR', comm: 'VARCHAR', pid: 'INTEGER', tid: 'INTEGER', cpu: 'INTEGER', time: 'DOUBLE',
                  full_name: 'VARCHAR', period: 'UBIGINT'}`;
const jsonl = `read_json(${text(join(out, "*.jsonl"))}, format = 'newline_delimited', columns = ${columns})`;
const parquet = join(out, "samples.parquet");
const byEvent = (from) => `SELECT full_name, count(DISTINCT file) AS files, count(*) AS samples, sum(period) AS period
                           FROM ${from} GROUP BY full_name ORDER BY samples DESC, full_name`;

const settings = process.env.THREADS ? { threads: process.env.THREADS } : {};
const connection = await (await DuckDBInstance.create(":memory:", settings)).connect();
const timed = async (what, query) => {
  const started = performance.now();
  const rows = (await connection.runAndReadAll(query)).getRowsJson();
  console.error(`${what}: ${((performance.now() - started) / 1000).toFixed(3)} s`);
  return rows;
};

const fromLines = await timed("by event, JSON Lines", byEvent(jsonl));
await timed("Parquet", `COPY (SELECT * FROM ${jsonl}) TO ${text(parquet + ".part")} (FORMAT parquet, COMPRESSION zstd)`);
renameSync(parquet + ".part", parquet);
const fromParquet = await timed("by event, Parquet", byEvent(text(parquet)));
console.error(`${statSync(parquet).size} bytes of Parquet`);
if (JSON.stringify(fromLines) !== JSON.stringify(fromParquet)) throw new Error("the two differ");
for (const [event, files, samples, period] of fromLines) console.log(JSON.stringify({ event, files, samples, period }));
