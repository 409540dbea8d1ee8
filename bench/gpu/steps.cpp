// gpu_steps [FOLDER] [RECORD]: runs the steps of a test on a machine with a GPU, one after another, each with
// its own time limit, so that no step prevents the next. FOLDER (by default the program's own) has steps.txt,
// with a line for each step,
//   NAME | SECONDS | COMMAND ARGUMENT...
// and the commands, which find their libraries in FOLDER/lib. RECORD.json and RECORD.txt (by default
// FOLDER/record) are complete whenever this program is ended. It is statically linked, so that it starts
// wherever there is a kernel.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Step {
  std::string name;
  double limit = 0;  // seconds
  std::vector<std::string> command;
  std::string state = "to come";
  double seconds = 0;
  std::string why{};  // reason, in one line, if it has not passed
  std::string output{};
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<Step> read_steps(const std::filesystem::path& file) {
  std::vector<Step> steps;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    std::string name, limit, command;
    std::getline(fields, name, '|');
    std::getline(fields, limit, '|');
    std::getline(fields, command);
    Step& step =
        steps.emplace_back(Step{.name = trimmed(name), .limit = std::atof(limit.c_str()), .command = {}});
    std::istringstream words(command);
    for (std::string word; words >> word;) step.command.push_back(word);
  }
  return steps;
}

// The first line with this beginning, or else the last line.
std::string line_of(const std::string& output, const std::string& beginning) {
  std::istringstream in(output);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (const auto at = line.find(beginning); !beginning.empty() && at != std::string::npos)
      return trimmed(line.substr(at));
    if (!trimmed(line).empty()) last = trimmed(line);
  }
  return beginning.empty() ? last : "";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Writes a file atomically.
void write_whole(const std::string& file, const std::string& text) {
  std::ofstream(file + ".part") << text;
  std::rename((file + ".part").c_str(), file.c_str());
}

void record(const std::string& to, const std::vector<Step>& steps) {
  std::ostringstream json, text;
  json << "{\"steps\": [";
  for (const Step& step : steps) {
    char line[400];
    std::snprintf(line, sizeof line, "%-44s %-9s %7.1f s  %.300s\n", step.name.c_str(), step.state.c_str(),
                  step.seconds, step.why.c_str());
    text << line;
    json << (&step == &steps.front() ? "\n" : ",\n") << "  {\"name\": " << quoted(step.name)
         << ", \"state\": " << quoted(step.state) << ", \"seconds\": " << step.seconds
         << ", \"limit\": " << step.limit << ", \"why\": " << quoted(step.why)
         << ",\n   \"output\": " << quoted(step.output) << "}";
  }
  json << "\n]}\n";
  for (const Step& step : steps)
    if (!step.output.empty()) text << "\n== " << step.name << "\n" << step.output;
  write_whole(to + ".json", json.str());
  write_whole(to + ".txt", text.str());
}

// Runs in a process group of its own, whose output goes through the pipe.
[[noreturn]] void run_command(const Step& step, int out) {
  setpgid(0, 0);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  close(STDIN_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : step.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::printf("cannot start %s: %s\n", arguments[0], std::strerror(errno));
  std::fflush(stdout);
  _exit(127);
}

// Reads until the command has ended or its time is over; true if it ended in time.
bool read_output(int in, Step& step, Clock::time_point end) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd ready{.fd = in, .events = POLLIN, .revents = 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) == 0) return false;
    char piece[4096];
    const ssize_t count = read(in, piece, sizeof piece);
    if (count <= 0) return true;
    step.output.append(piece, static_cast<std::size_t>(count));
  }
}

void run(Step& step) {
  const auto begin = Clock::now();
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_command(step, ends[1]);
  }
  setpgid(child, child);
  close(ends[1]);
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(step.limit));
  const bool in_time = read_output(ends[0], step, begin + limit);
  kill(-child, SIGKILL);  // and its children; a process that hangs in the driver stays
  int status = 0;
  for (int look = 0; waitpid(child, &status, WNOHANG) == 0 && look < 50; ++look) usleep(100'000);
  close(ends[0]);
  step.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  step.why = line_of(step.output, "no GPU");
  if (step.why.empty()) step.why = line_of(step.output, "no MPI");
  if (!in_time) {
    step.state = "too long";
    step.why =
        "ended after " + std::to_string(static_cast<int>(step.limit)) + " s: " + line_of(step.output, "");
  } else if (!step.why.empty()) {
    step.state = "not run";
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    step.state = "passed";
  } else {
    step.state = "failed";
    step.why = line_of(step.output, "");
    if (WIFSIGNALED(status)) step.why = std::string(strsignal(WTERMSIG(status))) + ": " + step.why;
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(argc > 1 ? fs::path(argv[1]) : fs::path(argv[0]).parent_path());
  const std::string to = fs::absolute(argc > 2 ? fs::path(argv[2]) : folder / "record");
  std::vector<Step> steps = read_steps(folder / "steps.txt");
  if (steps.empty()) {
    std::fprintf(stderr, "gpu_steps: no steps in %s\n", (folder / "steps.txt").c_str());
    return 2;
  }
  fs::current_path(folder);
  const char* const libraries = std::getenv("LD_LIBRARY_PATH");
  setenv("LD_LIBRARY_PATH",
         ((folder / "lib").string() + (libraries == nullptr ? "" : ':' + std::string(libraries))).c_str(), 1);
  int failed = 0;
  for (Step& step : steps) {
    step.state = "running";
    record(to, steps);
    run(step);
    record(to, steps);
    failed += step.state == "failed" || step.state == "too long" ? 1 : 0;
    std::printf("%-44s %-9s %7.1f s  %s\n", step.name.c_str(), step.state.c_str(), step.seconds,
                step.why.c_str());
    std::fflush(stdout);
  }
  return failed == 0 ? 0 : 1;
}
